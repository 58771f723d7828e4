import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocket } from 'ws'
import type { ServedDesktop } from './desktop.ts'
import { whenOver } from './leaving.ts'

const BEAT_MS = 15_000
/** A reader that takes nothing for so long is gone. */
const STALLED_MS = 30_000
/** So much may be on its way to a WebSocket before the next event waits. */
const HIGH_WATER = 64 * 1024

/** The feed as server-sent events, resumable by the id of the last one. */
export async function streamEvents(
  req: IncomingMessage,
  res: ServerResponse,
  desktop: ServedDesktop,
  after: string | undefined,
): Promise<void> {
  const end = new AbortController()
  whenOver(res, () => end.abort())
  req.socket.setTimeout(0)
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  res.write(`retry: 1000\n: ${desktop.name}\n\n`)
  const beat = setInterval(() => res.write(':\n\n'), BEAT_MS)
  try {
    for await (const { id, json, event } of desktop.feed.subscribe(after, end.signal)) {
      if (!res.write(`id: ${id}\nevent: ${event.type}\ndata: ${json}\n\n`)) await drained(res, end.signal)
    }
  } finally {
    clearInterval(beat)
    res.end()
  }
}

/** The same, one event per message. */
export async function sendEvents(socket: WebSocket, desktop: ServedDesktop, after: string | undefined): Promise<void> {
  const end = new AbortController()
  socket.once('close', () => end.abort())
  socket.on('message', () => socket.close(1003, 'this feed takes no messages'))
  let heard = Date.now()
  socket.on('pong', () => (heard = Date.now()))
  const beat = setInterval(() => (Date.now() - heard > STALLED_MS + BEAT_MS ? socket.terminate() : socket.ping()), BEAT_MS)
  try {
    for await (const { json } of desktop.feed.subscribe(after, end.signal)) {
      const sent = new Promise<void>((done) => socket.send(json, () => done()))
      if (socket.bufferedAmount > HIGH_WATER) await patiently(sent, () => socket.terminate())
    }
    socket.close(1001, 'the desktop has ended')
  } finally {
    clearInterval(beat)
  }
}

async function drained(res: ServerResponse, signal: AbortSignal): Promise<void> {
  const drain = new Promise<void>((done) => {
    const over = (): void => {
      res.off('drain', over)
      signal.removeEventListener('abort', over)
      done()
    }
    res.on('drain', over)
    signal.addEventListener('abort', over)
  })
  await patiently(drain, () => res.destroy())
}

async function patiently(done: Promise<void>, giveUp: () => void): Promise<void> {
  const timer = setTimeout(giveUp, STALLED_MS)
  await done
  clearTimeout(timer)
}
