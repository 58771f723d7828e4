import { DeskhandError } from '@deskhand/core/errors'
import { kernel32, user32 } from './api.ts'
import { library } from './library.ts'
import { wide } from './message.ts'

const UNICODE_TEXT = 13
const MOVEABLE = 2
/** Another program may have it open for a moment. */
const TRIES = 20
const BETWEEN_MS = 25

const { RtlMoveMemory: copyOut } = library('kernel32.dll', { RtlMoveMemory: 'void (void *to, intptr_t from, uint64 size)' })

export function readClipboard(): Promise<string> {
  return opened(() => {
    const memory = user32.GetClipboardData(UNICODE_TEXT)
    const at = memory === 0 ? 0 : kernel32.GlobalLock(memory)
    if (at === 0) return ''
    const copy = Buffer.alloc(kernel32.GlobalSize(memory))
    copyOut(copy, at, copy.length)
    kernel32.GlobalUnlock(memory)
    const [text = ''] = copy.toString('utf16le').split('\0', 1)
    return text.replaceAll('\r\n', '\n')
  })
}

export function writeClipboard(text: string): Promise<void> {
  return opened(() => {
    user32.EmptyClipboard()
    const bytes = wide(text.replaceAll(/\r?\n/g, '\r\n'))
    const memory = kernel32.GlobalAlloc(MOVEABLE, bytes.length)
    kernel32.RtlMoveMemory(kernel32.GlobalLock(memory), bytes, bytes.length)
    kernel32.GlobalUnlock(memory)
    // The clipboard owns the memory once it took it.
    if (user32.SetClipboardData(UNICODE_TEXT, memory) !== 0) return
    kernel32.GlobalFree(memory)
    throw new DeskhandError('DRIVER_FAILED', `the clipboard did not take the text (error ${kernel32.GetLastError()})`)
  })
}

async function opened<T>(use: () => T): Promise<T> {
  for (let left = TRIES; user32.OpenClipboard(0) === 0; left--) {
    if (left === 0) throw new DeskhandError('NOT_ACTIONABLE', 'another program keeps the clipboard open')
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
  }
  try {
    return use()
  } finally {
    user32.CloseClipboard()
  }
}
