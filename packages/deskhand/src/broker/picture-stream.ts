import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { Link } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import { FRONT } from './protocol.ts'

/** The principal that every viewer's picture is made for: what is hidden from agents is hidden from all of them. */
const WATCHER: Principal = { id: 'live picture', role: 'viewer' }
const UPDATE_MS = 24 * 3_600_000

/** Sends the screen to the HTTP server while it wants it. Each update waits until the one before was taken: the server sets the pace. */
export function servePictures(stream: Duplex, session: Session): Link {
  const link = new Link(stream, FRONT)
  let end: AbortController | undefined
  link.handle('watch', () => {
    end?.abort()
    end = new AbortController()
    void send(link, session, end.signal)
    return null
  })
  link.handle('rest', () => {
    end?.abort()
    return null
  })
  void link.closed.then(() => end?.abort())
  return link
}

async function send(link: Link, session: Session, signal: AbortSignal): Promise<void> {
  const file = sharedFile()
  let hasName = file !== undefined
  const unname = (): void => {
    if (hasName && file !== undefined) rmSync(file, { force: true })
    hasName = false
  }
  try {
    const updates = session.frames({ principal: WATCHER, intent: 'the live picture' }, { encoding: 'raw', restMs: 0, signal, file })
    for await (const parts of updates) {
      await link.call('update', { parts, file }, { signal, deadlineMs: UPDATE_MS })
      // Both have it open by now: without its name nothing of it outlives them.
      unname()
    }
  } catch (thrown) {
    const { code, message, next } = DeskhandError.from(thrown)
    if (!signal.aborted) await link.notify('ended', { code, message, next }).catch(() => {})
  } finally {
    unname()
  }
}

const MEMORY = '/dev/shm'

/** Memory that driver and server share by its name, for their owner alone: pixels would else be copied four times on their way through pipes. */
function sharedFile(): string | undefined {
  if (!existsSync(MEMORY)) return undefined
  const file = `${MEMORY}/deskhand-${randomUUID()}`
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return file
  } catch {
    return undefined
  }
}
