import type { ServerResponse } from 'node:http'

/**
 * Calls back once when the client is gone or has its answer, also where that was before this was asked: then no event would tell. An answer
 * that waits behind others of the same connection is not told of the connection's end.
 */
export function whenOver(res: ServerResponse, over: () => void): void {
  const { socket } = res.req
  if (res.closed || socket.destroyed) return over()
  // One for each request that a client sends ahead.
  socket.setMaxListeners(0)
  const first = (): void => {
    res.off('close', first)
    socket.off('close', first)
    over()
  }
  res.on('close', first)
  socket.on('close', first)
}
