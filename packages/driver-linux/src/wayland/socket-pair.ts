import { mkdtempSync, rmSync } from 'node:fs'
import { type Socket, connect, createServer } from 'node:net'
import { join } from 'node:path'

/** Node makes no pipes; two ends of a socket do as well. */
export async function socketPair(folder: string): Promise<{ ours: Socket; theirs: Socket }> {
  const own = mkdtempSync(join(folder, 'deskhand-'))
  const path = join(own, 'pair')
  const server = createServer()
  try {
    await new Promise<void>((done) => server.listen(path, done))
    const accepted = new Promise<Socket>((done) => server.once('connection', done))
    const theirs = connect(path)
    await new Promise((done) => theirs.once('connect', done))
    return { ours: await accepted, theirs }
  } finally {
    server.close()
    rmSync(own, { recursive: true, force: true })
  }
}
