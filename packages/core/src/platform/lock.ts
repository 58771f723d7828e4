import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '../errors.ts'
import { hasCode } from './files.ts'
import { isAlive, type ProcessId, readProc, self } from './process.ts'

export interface Lock {
  release(): void
}

/**
 * Takes the lock `name` of a folder for this process; `what` names the locked thing in the error. Each process that wants it creates
 * a file named after itself and then reads the folder: of two that come at once at least one sees the other. Only files of dead
 * processes are removed.
 */
export async function takeLock(dir: string, name: string, what: string): Promise<Lock> {
  const mine = join(dir, fileOf(name))
  for (let attempt = 1; ; attempt++) {
    try {
      closeSync(openSync(mine, 'wx', 0o600))
    } catch (error) {
      if (hasCode(error, 'EEXIST')) throw busy(what, `this process (${process.pid})`)
      throw error
    }
    const holder = otherHolder(dir, name)
    if (holder === undefined) return { release: () => rmSync(mine, { force: true }) }
    rmSync(mine, { force: true })
    if (attempt === ATTEMPTS) throw busy(what, holder)
    await sleep(5 + Math.random() * 20 * attempt)
  }
}

/** The living process of this machine that holds the lock. */
export function lockHolder(dir: string, name: string): ProcessId | undefined {
  return claims(dir, name).find((claim) => claim.state === 'alive')?.process
}

const ATTEMPTS = 5

interface Claim {
  file: string
  process: ProcessId
  state: 'alive' | 'dead' | 'elsewhere'
}

function otherHolder(dir: string, name: string): string | undefined {
  for (const { file, process, state } of claims(dir, name)) {
    if (file === fileOf(name)) continue
    if (state === 'elsewhere') return `a process on another machine (remove ${join(dir, file)} if it is gone)`
    if (state === 'alive') return `process ${process.pid}`
    rmSync(join(dir, file), { force: true })
  }
  return undefined
}

function claims(dir: string, name: string): Claim[] {
  return list(dir).flatMap((file) => {
    const [, kind, pid, started = '', host, boot] = NAME.exec(file) ?? []
    if (kind !== name) return []
    const process = { pid: Number(pid), started }
    const state = host !== hostId() ? 'elsewhere' : boot === bootId() && isAlive(process) ? 'alive' : 'dead'
    return [{ file, process, state }]
  })
}

const NAME = /^([a-z]+)\.(\d+)\.(\d+)\.([0-9a-f]{8})\.([0-9a-f]{8})\.lock$/

function fileOf(name: string): string {
  const { pid, started } = self()
  return `${name}.${pid}.${started}.${hostId()}.${bootId()}.lock`
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

const hostId = (): string => short(hostname())
const bootId = (): string => short(readProc('sys/kernel/random/boot_id') ?? '')
const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

const busy = (what: string, holder: string): DeskhandError => new DeskhandError('BROKER_BUSY', `${what} is held by ${holder}.`)
