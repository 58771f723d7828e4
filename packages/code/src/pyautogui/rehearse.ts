import type { ElementRef, Point, Result } from '@deskhand/core/model'
import type { ScriptPort, Origin, ScriptAction, ScriptActions } from './script-port.ts'
import { strokes } from './strokes.ts'

/** Roles that only take the focus when they are clicked. */
export const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'spinbutton', 'terminal', 'document'])

/**
 * The port of a rehearsal. What it wraps must only plan: decide, say what would be touched, send nothing. Around it the pointer, the
 * focus, the clipboard and the clock follow the script, so that it takes the same way as it would for real; questions get their first
 * answer. Results after a step that may change the desktop are `unverified`, as what they will meet is unknown.
 */
export function rehearsing(plan: ScriptPort): ScriptPort {
  let pointer: Point | undefined
  let focus: ElementRef | undefined
  let clipboard: string | undefined
  let ahead = 0
  let sure = true

  const follow = (kind: ScriptAction, args: ScriptActions[ScriptAction], { resolvedTarget: target }: Result): void => {
    if (kind === 'pointer' && 'events' in args) {
      for (const e of args.events) if (e.type === 'move') pointer = { x: e.x, y: e.y }
      if (!args.events.some((e) => e.type === 'up')) return
      const field = target?.elementId !== undefined && FIELDS.has(target.role)
      focus = field ? { elementId: target.elementId ?? '' } : undefined
      sure &&= field
    }
    if (kind === 'keys' || kind === 'key') sure &&= plainText(args)
    if (kind === 'clipboard_write' && 'text' in args) clipboard = args.text
  }
  const shown = (kind: ScriptAction, result: Result): Result => {
    if (kind === 'screens' && pointer && typeof result.data === 'object') return { ...result, data: { ...result.data, pointer } }
    if (kind === 'clipboard_read' && clipboard !== undefined) return { ...result, data: { text: clipboard } }
    return result
  }
  const planned = <K extends ScriptAction>(kind: K, args: ScriptActions[K], origin: Origin): Promise<Result> => {
    if (focus !== undefined && kind === 'type' && 'text' in args)
      return plan.perform('type', { text: args.text, redactInLogs: 'redactInLogs' in args && args.redactInLogs, target: focus }, origin)
    const keys = focus !== undefined && kind === 'keys' ? chords(args) : []
    return focus === undefined || keys.length === 0
      ? plan.perform(kind, args, origin)
      : plan.perform('key', { keys, target: focus }, origin)
  }

  return {
    perform: async (kind, args, origin) => {
      const known = sure
      const result = await planned(kind, args, origin)
      if (result.status === 'success') follow(kind, args, result)
      return shown(kind, known ? result : { ...result, effect: 'unverified' })
    },
    ask: async (question) => ('buttons' in question ? (question.buttons[0] ?? null) : question.default),
    ...(plan.locate ? { locate: plan.locate.bind(plan) } : {}),
    release: async () => {},
    clock: {
      now: () => plan.clock.now() + ahead,
      sleep: async (ms) => {
        ahead += ms
      },
    },
  }
}

const keyEvents = (args: ScriptActions[ScriptAction]): ScriptActions['keys']['events'] =>
  'events' in args ? args.events.filter((e): e is ScriptActions['keys']['events'][number] => 'key' in e) : []

/** As chords, one per character of text. */
function chords(args: ScriptActions[ScriptAction]): string[] {
  const WORDS: Readonly<Record<string, string>> = { ' ': 'space', '+': 'plus' }
  return strokes(keyEvents(args), new Set()).flatMap((s) => (s.do === 'chord' ? [s.keys] : [...s.text].map((c) => WORDS[c] ?? c)))
}

const plainText = (args: ScriptActions[ScriptAction]): boolean => strokes(keyEvents(args), new Set()).every((s) => s.do === 'text')
