import type { Pause } from '@deskhand/core/session'
import type { ActionKind, ElementRef, KeyEvent, PointerEvent, Rect, Result, Screen } from '@deskhand/core/model'

export type { Pause }

/** Where in the script a call stands. `signal` fires when the run is to end. */
export interface Origin {
  line: number
  column: number
  call: string
  signal: AbortSignal
}

/** The only actions that a script can cause, with the arguments they carry. */
export interface ScriptActions {
  /** `settleMs`: how long the session may look for the effect; taken out of the script's own pause. */
  pointer: { events: PointerEvent[]; settleMs?: number }
  keys: { events: KeyEvent[]; settleMs?: number }
  type: { text: string; redactInLogs?: boolean; target?: ElementRef }
  /** Only rehearsals: chords for an element that has no focus yet. */
  key: { keys: string[]; target: ElementRef }
  clipboard_read: Record<string, never>
  clipboard_write: { text: string }
  /** Answers with `data: { screens: Screen[], pointer: Point }`. */
  screens: Record<string, never>
  /** Answers with `data: Frame`, RGBA rows as a driver captures them. */
  capture: { region?: Rect }
}
export type ScriptAction = Extract<ActionKind, keyof ScriptActions>

/** A question for the operator; the agent cannot answer it. */
export type Question = { timeoutMs?: number } & (
  | { kind: 'alert'; text: string; title: string; buttons: [string] }
  | { kind: 'confirm'; text: string; title: string; buttons: string[] }
  | { kind: 'prompt' | 'password'; text: string; title: string; default: string }
)

/** An image to look for: a name that the operator's image store knows, or pixels the script captured before. */
export interface ImageSearch {
  needle: { name: string } | { pixels: Picture }
  haystack?: Picture
  region?: Rect
  /** Only in the window whose title holds this. */
  window?: string
  confidence?: number
  grayscale: boolean
  /** At most this many hits. */
  limit: number
}

export interface Picture {
  width: number
  height: number
  data: Uint8Array
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The only way from a script to the desktop; one call at a time. */
export interface ScriptPort {
  perform<K extends ScriptAction>(kind: K, args: ScriptActions[K], origin: Origin): Promise<Result>
  /** The screens, if they are known without an action. */
  screens?(): Promise<readonly Screen[]>
  /** null when the operator closed the question without an answer, undefined after its timeout. */
  ask?(question: Question, origin: Origin): Promise<string | null | undefined>
  locate?(search: ImageSearch, origin: Origin): Promise<Rect[]>
  /** Releases every key and button still held; called once, however the script ends. */
  release(): Promise<void>
  /** Releases the lease while the operator has paused the script; the next action takes it again. */
  rest?(): Promise<void>
  clock: Clock
}

/** The system clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    }),
}
