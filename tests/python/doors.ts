import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export interface Doors {
  /** How often something came through since the last question. */
  heard(): number
  close(): Promise<void>
}

const LETTERS = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(flush=True)
    s.recv(1024)
`

/** Sockets and a named pipe in a folder, with a listener behind each: a read-only mount keeps none of them shut. */
export async function openDoors(folder: string): Promise<Doors> {
  let calls = 0
  const door = createServer((socket) => {
    calls++
    socket.destroy()
  }).listen(join(folder, 'door.sock'))
  await once(door, 'listening')
  const letters = spawn('/usr/bin/python3', ['-I', '-c', LETTERS, join(folder, 'letters.sock')], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(letters.stdout, 'data')
  letters.stdout.on('data', (lines: Buffer) => (calls += lines.length))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK)

  return {
    heard() {
      const heard = calls + piped(pipe)
      calls = 0
      return heard
    },
    async close() {
      door.close()
      const gone = once(letters, 'exit')
      letters.kill('SIGKILL')
      await gone
      closeSync(pipe)
    },
  }
}

function piped(fd: number): number {
  try {
    return readSync(fd, Buffer.alloc(1024))
  } catch {
    return 0
  }
}
