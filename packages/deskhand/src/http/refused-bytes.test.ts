import { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refuseBytes } from './refused-bytes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a client that does not take its answer is let go after a while', async () => {
  const told: string[] = []
  const socket = new Duplex({ read: () => {}, write: (bytes) => void told.push(String(bytes)) })
  refuseBytes(new Error('no request'), socket)
  await vi.advanceTimersByTimeAsync(1_000)
  expect({ told: told.join('').split('\r\n')[0], isClosed: socket.destroyed }).toEqual({
    told: 'HTTP/1.1 400 Bad Request',
    isClosed: false,
  })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(socket.destroyed).toBe(true)
})
