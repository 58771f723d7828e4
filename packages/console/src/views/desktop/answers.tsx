import type { Approval, Offer, Question as Asked } from '@deskhand/core/model'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import type { Answering } from '../../api/client.ts'
import { useKeys } from '../../parts/keys.ts'
import { Button } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'

interface AnswersProps {
  approval: Approval
  /** Whether the keys of the keyboard answer this one. */
  hasKeys: boolean
  mayAnswer: boolean
  /** False while the card has only just appeared or moved: then nothing counts. */
  isReady(): boolean
  answer(given: Answering): void
  makeRule(): void
}

/** The answers to whether a call or a plan may go ahead, each with what it covers. */
export function Answers({ approval, hasKeys, mayAnswer, isReady, answer, makeRule }: AnswersProps) {
  const [isDenying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const { steps, offers = [] } = approval
  const deny = (): void => {
    if (isReady()) setDenying(true)
  }
  const once = (): void => answer({ allow: true, scope: 'once' })
  useKeys(hasKeys && mayAnswer ? { a: once, d: deny } : {})

  if (isDenying)
    return (
      <form
        className="rows"
        onSubmit={(event) => {
          event.preventDefault()
          answer({ allow: false, ...(reason === '' ? {} : { reason }) })
        }}
      >
        <input
          className="field"
          autoFocus
          value={reason}
          placeholder={TEXT.answers.denyWhy}
          aria-label={TEXT.answers.denyWhy}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="acts">
          <Button type="submit" look="danger" className="wide">
            {TEXT.answers.deny}
          </Button>
          <Button onClick={() => setDenying(false)}>{TEXT.answers.back}</Button>
        </div>
      </form>
    )
  return (
    <>
      <div className="acts">
        <Button className="wide" hint="D" disabled={!mayAnswer} onClick={deny}>
          {TEXT.answers.deny}
        </Button>
        <Button look="primary" className="wide" hint="A" disabled={!mayAnswer} onClick={once}>
          {steps === undefined ? TEXT.answers.once : TEXT.answers.steps}
        </Button>
      </div>
      <Longer
        offers={offers}
        isPlan={steps !== undefined}
        allow={(scope) => answer({ allow: true, scope })}
        makeRule={makeRule}
        disabled={!mayAnswer}
      />
    </>
  )
}

interface LongerProps {
  offers: readonly Offer[]
  isPlan: boolean
  allow(scope: Offer['scope']): void
  makeRule(): void
  disabled: boolean
}

function Longer({ offers, isPlan, allow, makeRule, disabled }: LongerProps) {
  const items = offers.map((offer) => ({ offer, apps: offer.apps.map(nameIn).join(', ') }))
  if (isPlan && items.length === 0) return null
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button look="quiet" disabled={disabled}>
          {items.length === 0 ? TEXT.makeRule.offer : TEXT.answers.more}
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          {items.map(({ offer, apps }) => (
            <DropdownMenu.Item key={offer.scope} onSelect={() => allow(offer.scope)}>
              <strong>{isPlan ? TEXT.answers.open(apps) : offer.scope === 'app' ? TEXT.answers.app(apps) : TEXT.answers.session}</strong>
              <small>{TEXT.covers.offer(offer, apps)}</small>
            </DropdownMenu.Item>
          ))}
          {items.length === 0 && <p className="menu-note">{TEXT.covers.everyTime}</p>}
          {!isPlan && (
            <DropdownMenu.Item onSelect={makeRule}>
              <strong>{TEXT.makeRule.offer}</strong>
              <small>{TEXT.makeRule.hint}</small>
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** The file's name of an application that is told by its path. */
const nameIn = (app: string): string => app.replace(/^\S*\//, '')

interface ReplyProps {
  asked: Asked
  mayAnswer: boolean
  isReady(): boolean
  answer(given: Answering): void
}

/** What a script asks a person, with the script's own answers. */
export function Reply({ asked, mayAnswer, isReady, answer }: ReplyProps) {
  const [text, setText] = useState(asked.default ?? '')
  const close = (
    <Button disabled={!mayAnswer} onClick={() => isReady() && answer({ allow: false })}>
      {TEXT.answers.close}
    </Button>
  )
  if (asked.buttons !== undefined)
    return (
      <div className="acts">
        {asked.buttons.map((button) => (
          <Button key={button} className="wide" disabled={!mayAnswer} onClick={() => answer({ allow: true, text: button })}>
            {button}
          </Button>
        ))}
        {close}
      </div>
    )
  return (
    <form
      className="rows"
      onSubmit={(event) => {
        event.preventDefault()
        answer({ allow: true, text })
      }}
    >
      <input
        className="field"
        type={asked.kind === 'password' ? 'password' : 'text'}
        autoComplete="off"
        aria-label={asked.message}
        disabled={!mayAnswer}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="acts">
        <Button type="submit" look="primary" className="wide" disabled={!mayAnswer}>
          {TEXT.answers.reply}
        </Button>
        {close}
      </div>
    </form>
  )
}
