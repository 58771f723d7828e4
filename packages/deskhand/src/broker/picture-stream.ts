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
  try {
    const updates = session.frames({ principal: WATCHER, intent: 'the live picture' }, { encoding: 'raw', restMs: 0, signal })
    for await (const parts of updates) await link.call('update', { parts }, { signal, deadlineMs: UPDATE_MS })
  } catch (thrown) {
    const { code, message, next } = DeskhandError.from(thrown)
    if (!signal.aborted) await link.notify('ended', { code, message, next }).catch(() => {})
  }
}
