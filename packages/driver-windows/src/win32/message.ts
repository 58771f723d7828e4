import { DeskhandError } from '@deskhand/core/errors'
import { sendPointer, user32 } from './api.ts'
import type { Handle } from './library.ts'

/** How long an application may take over one message; one that is known to hang is not waited for at all. */
const ANSWER_MS = 1000
const ABORT_IF_HUNG = 2

const result = Buffer.alloc(8)

/** What a window answers to a message; undefined when it does not. */
export function ask(h: Handle, message: number, w = 0, l = 0): number | undefined {
  const done = user32.SendMessageTimeoutW(h, message, w, l, ABORT_IF_HUNG, ANSWER_MS, result)
  return done === 0 ? undefined : Number(result.readBigInt64LE(0))
}

/** The same with memory or a text. Windows carries it across for messages below WM_USER only. */
export function askWith(h: Handle, message: number, w: number, l: Buffer): number | undefined {
  const done = sendPointer(h, message, w, l, ABORT_IF_HUNG, ANSWER_MS, result)
  return done === 0 ? undefined : Number(result.readBigInt64LE(0))
}

/** A message that must arrive. */
export function tell(h: Handle, message: number, w = 0, l = 0): number {
  const answer = ask(h, message, w, l)
  if (answer === undefined) throw new DeskhandError('APP_HUNG', 'the application does not answer')
  return answer
}

export const WM = { SETTEXT: 0x0c, GETTEXT: 0x0d, GETTEXTLENGTH: 0x0e, CLOSE: 0x10, COMMAND: 0x111, NULL: 0 }

/** More of a text than this is not read. */
const MOST = 1 << 20

/** The text that an application keeps in a window; undefined when it does not answer. */
export function textIn(h: Handle): string | undefined {
  const length = ask(h, WM.GETTEXTLENGTH)
  if (length === undefined) return undefined
  if (length <= 0) return ''
  const size = Math.min(length, MOST) + 1
  const buffer = Buffer.alloc(2 * size)
  const got = askWith(h, WM.GETTEXT, size, buffer)
  return got === undefined ? undefined : buffer.toString('utf16le', 0, 2 * got)
}

/** A text as Windows takes it. */
export const wide = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le')
