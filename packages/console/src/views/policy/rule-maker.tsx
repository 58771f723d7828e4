import type { SavedRules } from '@deskhand/core/model'
import { useEffect, useState, type ReactNode } from 'react'
import { useConsole, wordsOf } from '../../parts/context.ts'
import { Modal } from '../../parts/modal.tsx'
import { Button } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'
import { useComparison } from './comparison.ts'
import { Differences } from './differences.tsx'

const TRY_MS = 300
const VERDICTS = ['allow', 'deny', 'ask_user'] as const
type Verdict = (typeof VERDICTS)[number]

interface RuleMakerProps {
  /** The recorded call that the rule is made of. */
  op: string
  initial: Verdict
  /** Settles what the rule is made of before the rule counts: a question that is open when the policy changes is void. */
  before?: (allow: boolean) => Promise<void>
  /** How long the question that it is made of can still be answered. */
  aside?: ReactNode
  onClose(): void
}

/** A rule made of an answer or a step: as the TOML that it becomes, with what it would have changed, before it is saved. */
export function RuleMaker({ op, initial, before, aside, onClose }: RuleMakerProps) {
  const { store } = useConsole()
  const [verdict, setVerdict] = useState<Verdict>(initial)
  const [text, setText] = useState('')
  const [saved, setSaved] = useState<SavedRules>()
  const { found, compare, goOn } = useComparison()
  const [problem, setProblem] = useState('')
  const [isSaving, setSaving] = useState(false)
  const whole = saved === undefined || saved.text.trim() === '' ? text : `${saved.text.trimEnd()}\n\n${text}`

  useEffect(() => {
    let isOld = false
    const read = async (): Promise<void> => {
      const [rules, proposal] = await Promise.all([store.api.savedRules(), store.api.propose(op, verdict)])
      if (isOld) return
      setProblem('')
      setSaved(rules)
      setText(proposal.text)
    }
    read().catch((thrown: unknown) => {
      setText('')
      setProblem(wordsOf(thrown))
    })
    return () => void (isOld = true)
  }, [op, store, verdict])

  useEffect(() => {
    if (saved === undefined || text === '') return
    const timer = setTimeout(() => {
      compare(whole).then(
        () => setProblem(''),
        (thrown: unknown) => setProblem(wordsOf(thrown)),
      )
    }, TRY_MS)
    return () => clearTimeout(timer)
  }, [compare, saved, text, whole])

  const isReady = found?.of === whole && text !== '' && problem === '' && !isSaving
  const save = async (): Promise<void> => {
    if (saved === undefined) return
    setSaving(true)
    try {
      if (verdict !== 'ask_user') await before?.(verdict === 'allow')
      await store.api.saveRules(whole, saved.version)
      onClose()
    } catch (thrown) {
      setProblem(wordsOf(thrown))
    } finally {
      setSaving(false)
    }
  }

  return (
    <Modal title={TEXT.makeRule.title} aside={aside} onClose={onClose}>
      <p>{TEXT.makeRule.hint}</p>
      <div className="acts" role="radiogroup" aria-label={TEXT.makeRule.says}>
        {VERDICTS.map((one) => (
          <label key={one} className="acts">
            <input type="radio" name="verdict" checked={one === verdict} onChange={() => setVerdict(one)} />
            {TEXT.verdicts[one]}
          </label>
        ))}
      </div>
      <textarea
        className="field mono"
        rows={14}
        spellCheck={false}
        aria-label={TEXT.makeRule.text}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== '' && (
        <p className="banner bad" role="alert">
          {problem}
        </p>
      )}
      <div role="status">{found?.of === whole && <Differences comparison={found} goOn={goOn} isBeside />}</div>
      <small>
        {TEXT.makeRule.savedIn} <code>{saved?.file}</code>
      </small>
      <div className="acts">
        <Button look="primary" disabled={!isReady} onClick={() => void save()}>
          {before === undefined || verdict === 'ask_user' ? TEXT.makeRule.save : TEXT.makeRule.saveAndAnswer[verdict]}
        </Button>
        <Button onClick={onClose}>{TEXT.makeRule.cancel}</Button>
      </div>
    </Modal>
  )
}
