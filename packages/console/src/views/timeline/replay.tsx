import type { Result } from '@deskhand/core/model'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button, Chip, Words } from '../../parts/parts.tsx'
import { reasonOf } from '../../state/rules.ts'
import { sentence } from '../../state/sentences.ts'
import { Rows, type Step } from '../../state/steps.ts'
import { TEXT } from '../../text.ts'

const MOST_STEPS = 50
/** Looks, rehearsals, and what a script asks a person: they bring nothing about that could be brought about again. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'snapshot',
  'query',
  'describe',
  'capture',
  'capabilities',
  'apps',
  'screens',
  'plan',
  'ask',
])

interface Replayed {
  step: Step
  result?: Result
}

/** This step and those of the same agent after it, again: rehearsed first, then done one after the other until one fails. */
export function Replay({ step }: { step: Step }) {
  const { store } = useConsole()
  const act = useAct()
  const [steps, setSteps] = useState<readonly Replayed[]>([])
  const [state, setState] = useState<'idle' | 'busy' | 'rehearsed' | 'done'>('idle')

  const run = async (list: readonly Step[], dryRun: boolean): Promise<void> => {
    setState('busy')
    setSteps(list.map((one) => ({ step: one })))
    try {
      for (const one of list) {
        const { tool, kind, args, principal } = one.decided
        const call = { seq: one.seq, tool, kind, args, as: principal.id, dryRun }
        const result = await store.api.replay(call).catch((thrown: unknown) => {
          if (thrown instanceof ApiError && thrown.result !== undefined) return thrown.result
          throw thrown
        })
        setSteps((known) => known.map((row) => (row.step === one ? { step: one, result } : row)))
        if (result.status !== 'success' && !dryRun) break
      }
      setState(dryRun ? 'rehearsed' : 'done')
    } catch (thrown) {
      setState('idle')
      throw thrown
    }
  }
  const rehearse = (isOnlyThis: boolean) => () =>
    act(async () => {
      const list = isOnlyThis ? [step] : [step, ...(await following(store.api.journal, step))]
      await run(list, true)
    })

  return (
    <div className="rows">
      <div className="acts">
        <Button onClick={rehearse(true)} disabled={state === 'busy'}>
          <RotateCcw size={15} aria-hidden="true" /> {TEXT.timeline.replayDry}
        </Button>
        <Button onClick={rehearse(false)} disabled={state === 'busy'}>
          {TEXT.timeline.replayFrom}
        </Button>
        {state === 'rehearsed' && (
          <Button
            look="primary"
            onClick={() =>
              act(() =>
                run(
                  steps.map((row) => row.step),
                  false,
                ),
              )
            }
          >
            {TEXT.timeline.replayAll(steps.length)}
          </Button>
        )}
      </div>
      {steps.length > 0 && (
        <ol className="plan" aria-live="polite" aria-label={TEXT.timeline.replayed}>
          {steps.map(({ step: one, result }) => (
            <li key={one.op}>
              <Words of={sentence({ ...one, done: undefined } as Step)} />{' '}
              {result !== undefined && <Outcome result={result} isDone={state === 'done'} />}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

/** A rehearsal succeeds by telling what would be decided; what was done has its own outcome. */
function Outcome({ result: { error, decision }, isDone }: { result: Result; isDone: boolean }) {
  if (error !== undefined)
    return (
      <>
        <Chip look="bad">{TEXT.timeline.cannotDo}</Chip> <small>{error.message}</small>
      </>
    )
  if (isDone || decision === undefined || decision.verdict === 'allow')
    return <Chip look="ok">{isDone ? TEXT.timeline.wasDone : TEXT.timeline.wouldDo}</Chip>
  return (
    <>
      <Chip look={decision.verdict === 'deny' ? 'bad' : 'warn'}>{TEXT.verdicts[decision.verdict]}</Chip> <small>{reasonOf(decision)}</small>
    </>
  )
}

/** What the same agent did after this, but for looks and rehearsals. Calls of a script are made again by their script. */
async function following(journal: (query: { after: number; limit: number }) => Promise<Parameters<typeof Rows.of>[0]>, step: Step) {
  const entries = await journal({ after: step.seq, limit: 1_000 })
  return Rows.of(entries)
    .list.filter((row): row is Step => row.row === 'step')
    .filter(({ decided }) => decided.dryRun !== true && decided.origin === undefined && !LEFT_OUT.has(decided.kind))
    .filter(({ decided }) => decided.principal.id === step.decided.principal.id)
    .toReversed()
    .slice(0, MOST_STEPS - 1)
}
