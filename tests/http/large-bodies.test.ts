import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const MIB = 2 ** 20
const SENT = 24

/** Sends a request with a body of many megabytes to its end, and only then reads what is answered to it and to a second one. */
async function sendsFirst(path: string, framing: string, part: Buffer, last: string): Promise<string> {
  const { host, port } = new URL(world.url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' }).pause()
  await once(socket, 'connect')
  const head = [`Host: ${host}`, `Authorization: Bearer ${world.token('agent')}`]
  const post = [`POST ${path} HTTP/1.1`, ...head, 'Content-Type: application/json', framing, '', ''].join('\r\n')
  socket.write(post)
  for (let i = 0; i < SENT; i++) if (!socket.write(part)) await once(socket, 'drain')
  socket.write(last)
  socket.end(['GET /healthz HTTP/1.1', ...head, 'Connection: close', '', ''].join('\r\n'))
  let answers = ''
  socket.on('data', (bytes) => (answers += String(bytes))).resume()
  await once(socket, 'end')
  return answers
}

const CHUNK = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')])

test.each([
  ['in chunks', 'Transfer-Encoding: chunked', CHUNK, '0\r\n\r\n'],
  ['of a length that is told before', `Content-Length: ${SENT * MIB}`, Buffer.alloc(MIB, 'x'), ''],
])('a client that sends a body %s, too large, to its end hears why it was refused, and is served next', async (_, ...sent) => {
  for (const path of ['/mcp', '/api/v1/desktops/virtual/tools/ui.query', '/api/v1/session']) {
    const answers = await sendsFirst(path, ...sent)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    expect(answers).toContain('Send less in one request.')
  }
})
