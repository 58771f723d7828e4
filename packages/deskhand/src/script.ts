import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { ActionOf, Result } from '@deskhand/core/model'
import type { CodePerform, CodeStage } from '@deskhand/core/session'
import {
  joining,
  realClock,
  rehearsing,
  runAutomationScript,
  ToolWriter,
  type Clock,
  type Hands,
  type Origin,
  type PauseSwitch,
  type Question,
  type ScriptAction,
  type ScriptActions,
  type ScriptResult,
  type ScriptStep,
  type ToolCall,
} from '@deskhand/code/pyautogui'

export const ScriptOptions = z.strictObject({
  profile: z.enum(['strict', 'agent']).optional(),
  relativeCoordinates: z.boolean().optional(),
  pause: z.number().min(0).max(60).optional(),
  rehearse: z.boolean().optional(),
  toTools: z.boolean().optional(),
})

/** How far a script is: a call that was made, or a governed call that is equal to what it did. */
export type ScriptNote = { step: ScriptStep } | { call: ToolCall }

/** Only looks; in a rehearsal these are really done. */
const LOOKS: ReadonlySet<ScriptAction> = new Set<ScriptAction>(['screens', 'capture', 'clipboard_read'])

/** Runs a PyAutoGUI script under one lease: each of its calls is a call of the session's. */
export function runScript(job: ActionOf<'code'>, on: CodeStage, pauses?: PauseSwitch): Promise<ScriptResult & { calls?: ToolCall[] }> {
  const read = ScriptOptions.safeParse(job.options ?? {})
  if (!read.success) throw new DeskhandError('BAD_ARGS', read.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '))
  const { rehearse = false, toTools = false, ...how } = read.data
  const tell = (note: ScriptNote): void => on.progress(note)
  return on.hold(async (perform, rest) => {
    const acting = rehearse ? rehearsing(handsOf(on, perform, true)) : { ...handsOf(on, perform, false), rest }
    const calls: ToolCall[] = []
    const joined = joining((call) => {
      calls.push(call)
      tell({ call })
    })
    const hands = toTools ? writing(acting, new ToolWriter(on.touches, { rehearsed: rehearse }), joined.write) : acting
    const result = await runAutomationScript(job.code ?? '', {
      ...how,
      hands,
      signal: on.signal,
      pauses,
      observer: { after: (step) => tell({ step }) },
    })
    joined.end()
    return toTools ? { ...result, calls } : result
  })
}

function handsOf(on: CodeStage, perform: CodePerform, planning: boolean): Hands {
  return {
    screens: () => on.screens(),
    perform: (kind, args, origin) =>
      perform(toolOf(origin), kind, kind === 'capture' ? { ...args, format: 'raw' } : args, origin.line, planning && !LOOKS.has(kind)),
    ask: (question, origin) => ask(perform, question, origin),
    // The lease lets go of everything when the script ends.
    release: async () => {},
    clock: realClock,
  }
}

const toolOf = (origin: Origin): string => origin.call.split('(')[0] ?? 'pyautogui'

/** A question of the script's, as an action; what a password begins with is nobody's to read. */
async function ask(perform: CodePerform, question: Question, origin: Origin): Promise<string | null | undefined> {
  const { kind, text, title, timeoutMs } = question
  const more = 'buttons' in question ? { buttons: question.buttons } : kind === 'password' ? {} : { default: question.default }
  const result = await perform(toolOf(origin), 'ask', { question: kind, message: text, title, timeoutMs, ...more }, origin.line)
  if (result.error?.code === 'APPROVAL_EXPIRED' && timeoutMs !== undefined) return undefined
  const answer = answerOf(result)
  return answer === '' && 'default' in question ? question.default : answer
}

const Answered = z.object({ answer: z.string().nullable() })

function answerOf(result: Result): string | null {
  if (result.error !== undefined) throw DeskhandError.revive(result.error)
  return Answered.parse(result.data).answer
}

/** The same hands; what they do is written down as calls by selectors. */
function writing(hands: Hands, writer: ToolWriter, write: (call: ToolCall) => void): Hands {
  const clock: Clock = {
    now: () => hands.clock.now(),
    sleep: (ms, signal) => {
      writer.waited(ms)
      return hands.clock.sleep(ms, signal)
    },
  }
  return {
    ...hands,
    clock,
    perform: async <K extends ScriptAction>(kind: K, args: ScriptActions[K], origin: Origin) => {
      const calls = LOOKS.has(kind) ? [] : await writer.write(kind, args)
      const result = await hands.perform(kind, args, origin)
      if (result.status === 'success') calls.forEach(write)
      return result
    },
  }
}
