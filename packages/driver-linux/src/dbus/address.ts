import { connect, type Socket } from 'node:net'

/** The socket paths of a D-Bus server address that can be reached from here: `unix:path=…` and `unix:abstract=…`. */
export function socketPaths(address: string): string[] {
  const paths: string[] = []
  for (const one of address.split(';')) {
    if (!one.startsWith('unix:')) continue
    for (const pair of one.slice(5).split(',')) {
      const [key, value = ''] = pair.split('=')
      if (key === 'path') paths.push(unescape(value))
      if (key === 'abstract') paths.push(`\0${unescape(value)}`)
    }
  }
  return paths
}

/** Connects and authenticates; the socket is then ready for messages. */
export async function authenticated(path: string, deadlineMs: number): Promise<Socket> {
  const socket = connect(path)
  try {
    await within(deadlineMs, path, async (fail) => {
      socket.once('error', fail)
      socket.once('close', () => fail(new Error(`the bus at ${shown(path)} closed the connection`)))
      await new Promise<void>((done) => socket.once('connect', () => done()))
      const uid = process.getuid?.() ?? 0
      socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`)
      const line = await firstLine(socket)
      if (!line.startsWith('OK')) throw new Error(`the bus at ${shown(path)} refused us: ${line.slice(0, 200)}`)
      socket.write('BEGIN\r\n')
    })
  } catch (error) {
    socket.destroy()
    throw error
  }
  socket.removeAllListeners()
  return socket
}

const shown = (path: string): string => path.replace('\0', '@')

function unescape(value: string): string {
  return value.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    const read = (data: Buffer): void => {
      text += data.toString('latin1')
      const end = text.indexOf('\r\n')
      if (end < 0 && text.length < 16_384) return
      socket.off('data', read)
      socket.pause()
      if (end < 0) fail(new Error('the bus talks without end'))
      else done(text.slice(0, end))
    }
    socket.on('data', read)
  })
}

async function within(ms: number, path: string, work: (fail: (error: Error) => void) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((done, fail) => {
      timer = setTimeout(() => fail(new Error(`the bus at ${shown(path)} did not answer within ${ms} ms`)), ms)
      work(fail).then(done, fail)
    })
  } finally {
    clearTimeout(timer)
  }
}
