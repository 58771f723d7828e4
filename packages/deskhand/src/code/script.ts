import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { Frame } from '@deskhand/core/driver'
import { TRAITS, type ActionOf, type Result } from '@deskhand/core/model'
import type { CodePerform, CodeStage } from '@deskhand/core/session'
import {
  interpretScript,
  joining,
  LIMITS,
  realClock,
  rehearsing,
  ToolWriter,
  type Clock,
  type Origin,
  type Question,
  type ScriptAction,
  type ScriptActions,
  type ScriptPort,
  type ScriptStep,
  type ToolCall,
} from '@deskhand/code/pyautogui'
import type { Vision } from '@deskhand/vision'
import { locator, toolOf } from './locate.ts'
import { readArgs } from '../tools/read-args.ts'
import { told, type ToldScript } from './told-steps.ts'

export const ScriptOptions = z.strictObject({
  profile: z.enum(['strict', 'agent']).optional(),
  relativeCoordinates: z.boolean().optional(),
  pause: z.number().min(0).max(60).optional(),
  rehearse: z.boolean().optional(),
  toTools: z.boolean().optional(),
})

/** How far a script is: a call that was made, or a governed call that is equal to what it did. */
export type ScriptNote = { step: ScriptStep } | { call: ToolCall }

/** Runs a PyAutoGUI script under one lease: each of its calls is a call of the session's. */
export function runScript(
  job: ActionOf<'code'>,
  on: CodeStage,
  { vision, mostMs }: { vision?: Vision; mostMs?: number } = {},
): Promise<ToldScript & { calls?: ToolCall[]; pictures: Frame[] }> {
  const { rehearse = false, toTools = false, ...how } = readArgs('script.run', ScriptOptions, job.options)
  const tell = (note: ScriptNote): void => on.progress(note)
  return on.hold(async (perform, rest) => {
    const pictures = new Pictures()
    const port = portOf(on, pictures.of(perform), rehearse, vision)
    const acting = rehearse ? rehearsing(port) : { ...port, rest }
    const calls: ToolCall[] = []
    const joined = joining((call) => {
      calls.push(call)
      tell({ call })
    })
    const written = toTools ? writing(acting, new ToolWriter(on.touches, { rehearsed: rehearse }), joined.write) : acting
    const result = await interpretScript(job.code ?? '', {
      ...how,
      port: written,
      limits: mostMs === undefined ? undefined : { wallMs: Math.min(mostMs, LIMITS.wallMs) },
      signal: on.signal,
      pauses: on.pause,
      observer: { after: (step) => tell({ step }) },
    })
    joined.end()
    const short = told(result, rehearse)
    const shown = { ...short, ...pictures.taken }
    return toTools ? { ...shown, calls } : shown
  })
}

/** The screenshots that a script takes, for its caller to see. */
class Pictures {
  readonly #frames: Frame[] = []
  #count = 0

  of(perform: CodePerform): CodePerform {
    return async (tool, kind, ...more) => {
      const result = await perform(tool, kind, ...more)
      const frame = tool === 'pyautogui.screenshot' && result.error === undefined ? Frame.safeParse(result.data) : undefined
      if (frame?.success) {
        this.#count++
        this.#frames.push(frame.data)
        if (this.#frames.length > MOST_PICTURES) this.#frames.shift()
      }
      return result
    }
  }

  get taken(): { pictures: Frame[]; screenshots?: number } {
    return { pictures: this.#frames, ...(this.#count > 0 && { screenshots: this.#count }) }
  }
}

/** A picture costs a model more than many calls: of a loop it gets the last ones. */
const MOST_PICTURES = 3

function portOf(on: CodeStage, perform: CodePerform, planning: boolean, vision: Vision | undefined): ScriptPort {
  return {
    screens: () => on.screens(),
    // A rehearsal really looks, and does nothing else.
    perform: (kind, args, origin) =>
      perform(toolOf(origin), kind, kind === 'capture' ? { ...args, format: 'raw' } : args, origin.line, planning && !TRAITS[kind].reads),
    locate: vision && locator(vision, perform),
    ask: (question, origin) => ask(perform, question, origin),
    // The lease lets go of everything when the script ends.
    release: async () => {},
    clock: realClock,
  }
}

/** A question of the script's, as an action; the default of a password is not passed on. */
async function ask(perform: CodePerform, question: Question, origin: Origin): Promise<string | null | undefined> {
  const { kind, text, title, timeoutMs } = question
  const more = 'buttons' in question ? { buttons: question.buttons } : kind === 'password' ? {} : { default: question.default }
  const result = await perform(toolOf(origin), 'ask', { question: kind, message: text, title, timeoutMs, ...more }, origin.line)
  if ((result.error?.code === 'APPROVAL_EXPIRED' || result.error?.code === 'NOT_ASKED') && timeoutMs !== undefined) return undefined
  const answer = answerOf(result)
  return answer === '' && 'default' in question ? question.default : answer
}

const Answered = z.object({ answer: z.string().nullable() })

function answerOf(result: Result): string | null {
  if (result.error !== undefined) throw DeskhandError.revive(result.error)
  return Answered.parse(result.data).answer
}

/** The same port; its actions are also written as calls by selectors. */
function writing(port: ScriptPort, writer: ToolWriter, write: (call: ToolCall) => void): ScriptPort {
  const clock: Clock = {
    now: () => port.clock.now(),
    sleep: (ms, signal) => {
      writer.waited(ms)
      return port.clock.sleep(ms, signal)
    },
  }
  return {
    ...port,
    clock,
    perform: async <K extends ScriptAction>(kind: K, args: ScriptActions[K], origin: Origin) => {
      const calls = TRAITS[kind].reads ? [] : await writer.write(kind, args)
      const result = await port.perform(kind, args, origin)
      if (result.status === 'success') calls.forEach(write)
      return result
    },
  }
}
