import type { Point, Result } from '@deskhand/core/model'
import type { Hands, ScriptAction, ScriptActions } from './hands.ts'

/**
 * Hands for a rehearsal. What they wrap must only plan: decide, say what would be touched, send nothing. Around it the pointer,
 * the clipboard and the clock follow the script, so that it takes the same way as it would for real; questions get their first answer.
 */
export function rehearsing(plan: Hands): Hands {
  let pointer: Point | undefined
  let clipboard: string | undefined
  let ahead = 0

  const follow = (kind: ScriptAction, args: ScriptActions[ScriptAction]): void => {
    if (kind === 'pointer' && 'events' in args) for (const e of args.events) if (e.type === 'move') pointer = { x: e.x, y: e.y }
    if (kind === 'clipboard_write' && 'text' in args) clipboard = args.text
  }
  const shown = (kind: ScriptAction, result: Result): Result => {
    if (kind === 'screens' && pointer && typeof result.data === 'object') return { ...result, data: { ...result.data, pointer } }
    if (kind === 'clipboard_read' && clipboard !== undefined) return { ...result, data: { text: clipboard } }
    return result
  }

  return {
    perform: async (kind, args, origin) => {
      const result = await plan.perform(kind, args, origin)
      if (result.status === 'success') follow(kind, args)
      return shown(kind, result)
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
