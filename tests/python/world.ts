import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openDoors } from './doors.ts'

/** Everything outside that a script could reach: files with secrets, sockets that listen, this process and its environment. */
export interface World {
  /** The project to lend. */
  root: string
  /** What an attempt is told; `mark` is its own word. */
  targets(mark: string): Record<string, string | number>
  /** Every trace that what ran since the last question left out here. */
  breaches(mark: string): Promise<string[]>
  /** Puts the files back as they were. */
  reset(): Promise<void>
  /** Whether a text carries something that only the outside knows. */
  leaks(text: string): string[]
  close(): Promise<void>
}

export async function openWorld(folder = '/var/tmp'): Promise<World> {
  const base = await realpath(await mkdtemp(join(folder, 'deskhand-world-')))
  const secret = `SECRET-${randomBytes(12).toString('hex')}`
  const variable = `CANARY_${randomBytes(4).toString('hex')}`
  const fromEnvironment = `SECRET-${randomBytes(12).toString('hex')}`
  const [root, vault] = [join(base, 'project'), join(base, 'vault')]
  process.env[variable] = fromEnvironment
  const archives = await makeArchives(base, secret)
  await furnish(root, vault, secret, archives)
  let doors = await openDoors(root)

  let calls = 0
  const servers = [listen({ port: 0, host: '127.0.0.1' }), listen({ path: join(base, 'socket') }), listen({ path: `\0${base}` })]
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const port = portOf(servers[0])
  const six = listen({ port, host: '::1' })
  await Promise.race([once(six, 'listening'), once(six, 'error')])
  const datagrams = createSocket('udp4', () => calls++)
  await new Promise<void>((ready) => datagrams.bind(0, '127.0.0.1', ready))
  let before = await treeHash(base)

  function listen(where: Parameters<Server['listen']>[0]): Server {
    return createServer((socket) => {
      calls++
      socket.destroy()
    })
      .on('error', () => {})
      .listen(where)
  }

  return {
    root,
    targets: (mark) => ({
      vault,
      secret: join(vault, 'secret.txt'),
      pwned: join(vault, `pwned-${mark}`),
      port,
      udp: datagrams.address().port,
      unix: join(base, 'socket'),
      abstract: base,
      pid: process.pid,
      host: hostname(),
      variable,
      mark,
    }),
    async breaches(mark) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const found: string[] = []
      if (calls > 0) found.push(`${calls} connections or datagrams arrived`)
      calls = 0
      if (doors.heard() > 0) found.push('something came through a socket or a pipe in the project')
      if ((await treeHash(base)) !== before) found.push(`the files changed: ${(await readdir(vault)).join(' ')}`)
      for (const { pid, line } of processesWith(mark)) {
        found.push(`left behind: ${line}`)
        process.kill(pid, 'SIGKILL')
      }
      return found
    },
    async reset() {
      await doors.close()
      await rm(root, { recursive: true, force: true })
      await rm(vault, { recursive: true, force: true })
      await furnish(root, vault, secret, archives)
      doors = await openDoors(root)
      before = await treeHash(base)
      calls = 0
    },
    leaks: (text) => [secret, fromEnvironment, process.cwd(), 'REACHED'].filter((word) => text.includes(word)),
    async close() {
      delete process.env[variable]
      for (const server of [...servers, six]) server.close()
      datagrams.close()
      await doors.close()
      await rm(base, { recursive: true, force: true })
    },
  }
}

/** Processes of this machine whose command line carries a word. */
function processesWith(word: string): { pid: number; line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((name) => ({ pid: Number(name), line: commandOf(name) }))
    .filter(({ line }) => line.includes(word))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

async function furnish(root: string, vault: string, secret: string, archives: Record<string, Buffer>): Promise<void> {
  await mkdir(root)
  await mkdir(vault)
  await writeFile(join(root, 'mod.py'), 'x = 1\n')
  await writeFile(join(root, 'data.txt'), 'the project may be read\n')
  await writeFile(join(vault, 'secret.txt'), `${secret}\n`)
  await writeFile(join(vault, 'leaked.py'), `VALUE = "${secret}"\n`)
  await writeFile(join(vault, 'c.ini'), `[x]\nvalue = ${secret}\n`)
  for (const [name, bytes] of Object.entries(archives)) await writeFile(join(vault, name), bytes)
  await symlink(join(vault, 'secret.txt'), join(root, 'link.txt'))
  await symlink('link.txt', join(root, 'link2.txt'))
  await symlink(vault, join(root, 'vaultlink'))
}

/** The secret in a database and in a zip file. */
async function makeArchives(folder: string, secret: string): Promise<Record<string, Buffer>> {
  const fill = `import sqlite3, zipfile
c = sqlite3.connect("db.sqlite"); c.execute("create table t(a)"); c.execute("insert into t values ('${secret}')"); c.commit()
zipfile.ZipFile("z.zip", "w").writestr("zipped.py", "VALUE = '${secret}'")`
  execFileSync('/usr/bin/python3', ['-I', '-c', fill], { cwd: folder })
  const archives: Record<string, Buffer> = {}
  for (const name of ['db.sqlite', 'z.zip']) {
    archives[name] = await readFile(join(folder, name))
    await rm(join(folder, name))
  }
  return archives
}

async function treeHash(base: string): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(base, { recursive: true, withFileTypes: true })
  const paths = entries.map((each) => join(each.parentPath, each.name)).sort()
  for (const path of paths) {
    const entry = await stat(path).catch(() => undefined)
    hash.update(`${path} ${entry?.mode} ${entry?.isFile() ? `${entry.size} ${entry.mtimeMs}` : ''}\n`)
    if (entry?.isFile()) hash.update(await readFile(path))
  }
  return hash.digest('hex')
}

function portOf(server: Server | undefined): number {
  const address = server?.address()
  return typeof address === 'object' && address ? address.port : 0
}
