import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '../errors.ts'
import { hasCode } from './files.ts'

export interface Lock {
  release(): Promise<void>
}

/**
 * One writer per folder. Everyone who wants in leaves a file named after its own process and then looks round: of two
 * that come at once at least one sees the other, and files of dead processes are removed, which races with nobody.
 */
export async function takeLock(dir: string): Promise<Lock> {
  for (let attempt = 1; ; attempt++) {
    const mine = join(dir, ownName())
    try {
      await (await open(mine, 'wx', 0o600)).close()
    } catch (error) {
      if (hasCode(error, 'EEXIST')) throw busy(dir, `this process (${process.pid})`)
      throw error
    }
    const holder = await livingOther(dir)
    if (holder === undefined) return { release: () => rm(mine, { force: true }) }
    await rm(mine, { force: true })
    if (attempt === ATTEMPTS) throw busy(dir, holder)
    await sleep(5 + Math.random() * 20 * attempt)
  }
}

const ATTEMPTS = 5
const NAME = /^writer\.(\d+)\.(\d+)\.([0-9a-f]{8})\.([0-9a-f]{8})\.lock$/

function ownName(): string {
  return `writer.${process.pid}.${startOf(process.pid) ?? Math.round(performance.timeOrigin)}.${host()}.${boot()}.lock`
}

async function livingOther(dir: string): Promise<string | undefined> {
  const own = ownName()
  for (const name of await readdir(dir)) {
    const [, pid, start, where, when] = NAME.exec(name) ?? []
    if (pid === undefined || name === own) continue
    if (where !== host()) return `a process on another machine (remove ${join(dir, name)} if it is gone)`
    if (when === boot() && alive(Number(pid), Number(start))) return `process ${pid}`
    await rm(join(dir, name), { force: true })
  }
  return undefined
}

function alive(pid: number, start: number): boolean {
  const now = startOf(pid)
  if (now !== undefined) return now === start
  if (process.platform === 'linux') return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** When a process began, in clock ticks after boot: a pid that was given out again is told apart. Linux only. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : Number(rest[18])
  } catch {
    return undefined
  }
}

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

const host = (): string => short(hostname())

function boot(): string {
  try {
    return short(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  } catch {
    return short('')
  }
}

const busy = (dir: string, holder: string): DeskhandError =>
  new DeskhandError('BROKER_BUSY', `The journal in ${dir} is being written by ${holder}.`)
