import type { Approval, Offer, Question as Asked } from '@deskhand/core/model'
import { ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import type { Answering } from '../../api/client.ts'
import { useDesktop } from '../../parts/context.ts'
import { useKeys } from '../../parts/keys.ts'
import { Button } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'
import { coveredSteps } from './plan.tsx'

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
  const { isMine } = useDesktop()
  const { steps, offers = [] } = approval
  const covered = coveredSteps(steps)
  const hint = (key: string): string | undefined => (hasKeys && mayAnswer && !isMine ? key : undefined)
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
        <p className="cover">{TEXT.covers.deny}</p>
        <input
          className="field"
          autoFocus
          value={reason}
          placeholder={TEXT.answers.denyWhy}
          aria-label={TEXT.answers.denyWhy}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="acts">
          <Button type="submit" look="refuse" className="wide">
            {TEXT.answers.deny}
          </Button>
          <Button onClick={() => setDenying(false)}>{TEXT.answers.back}</Button>
        </div>
      </form>
    )
  return (
    <>
      <p className="cover">{steps === undefined ? TEXT.covers.once : TEXT.covers.plan(covered, steps.length)}</p>
      <div className="acts">
        <Button look="refuse" className="wide" hint={hint('D')} disabled={!mayAnswer} onClick={deny}>
          {TEXT.answers.deny}
        </Button>
        <Button look="primary" className="wide" hint={hint('A')} disabled={!mayAnswer} onClick={once}>
          {steps === undefined ? TEXT.answers.once : TEXT.answers.steps(covered)}
        </Button>
      </div>
      <Longer
        offers={offers}
        covered={steps === undefined ? undefined : covered}
        allow={(scope) => answer({ allow: true, scope })}
        makeRule={makeRule}
        disabled={!mayAnswer}
      />
    </>
  )
}

interface LongerProps {
  offers: readonly Offer[]
  /** The steps of a plan that the answer covers in any case. */
  covered: readonly number[] | undefined
  allow(scope: Offer['scope']): void
  makeRule(): void
  disabled: boolean
}

function Longer({ offers, covered, allow, makeRule, disabled }: LongerProps) {
  const items = offers.map((offer) => ({ offer, apps: offer.apps.map(nameIn).join(', ') }))
  const isPlan = covered !== undefined
  if (isPlan && items.length === 0) return null
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button disabled={disabled}>
          {items.length === 0 ? TEXT.makeRule.offer : TEXT.answers.more}
          <ChevronDown size={15} aria-hidden="true" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          {items.map(({ offer, apps }) => (
            <DropdownMenu.Item key={offer.scope} onSelect={() => allow(offer.scope)}>
              <strong>{covered === undefined ? TEXT.answers.longer(offer, apps) : TEXT.answers.open(covered, offer, apps)}</strong>
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
  const cover = <p className="cover">{TEXT.covers.reply}</p>
  if (asked.buttons !== undefined)
    return (
      <>
        {cover}
        <div className="acts">
          {asked.buttons.map((button) => (
            <Button key={button} className="wide" disabled={!mayAnswer} onClick={() => answer({ allow: true, text: button })}>
              {button}
            </Button>
          ))}
          {close}
        </div>
      </>
    )
  return (
    <form
      className="rows"
      onSubmit={(event) => {
        event.preventDefault()
        answer({ allow: true, text })
      }}
    >
      {cover}
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
