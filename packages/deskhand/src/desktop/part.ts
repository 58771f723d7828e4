import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DeskhandError } from '@deskhand/core/errors'
import type { ProcessId } from '@deskhand/core/platform'
import { identifyChild } from './process.ts'
import type { PartName } from './record.ts'

export interface Part {
  process: ProcessId
  /** What it wrote first on descriptor 3, where X servers and buses announce themselves. */
  firstLine: Promise<string>
  /** Throws when it has ended. */
  check(): void
  end(): void
}

/** Starts a program that stays when we go: a session of its own, its output in a file. */
export function startPart(name: PartName, command: readonly string[], env: Record<string, string>, dir: string, announces: boolean): Part {
  const [program = '', ...args] = command
  const output = openSync(logFile(dir, name), 'a', 0o600)
  const child = spawn(program, args, {
    cwd: env['HOME'],
    env,
    detached: true,
    stdio: ['ignore', output, output, ...(announces ? ['pipe' as const] : [])],
  })
  closeSync(output)
  child.unref()
  child.once('error', () => {})
  const process = child.pid === undefined ? undefined : identifyChild(child.pid)
  const ended = (): DeskhandError =>
    new DeskhandError('DRIVER_FAILED', `${name} (${program}) ended while the desktop came up${said(dir, name)}`)
  if (process === undefined) throw ended()
  return {
    process,
    firstLine: announces ? firstLine(child.stdio[3] as Readable, ended) : Promise.resolve(''),
    check: () => {
      if (child.exitCode !== null || child.signalCode !== null) throw ended()
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** The last words of a part, for an error. */
export function said(dir: string, name: PartName): string {
  try {
    const file = openSync(logFile(dir, name), 'r')
    try {
      const end = Buffer.alloc(600)
      const size = readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length))
      const text = end.toString('utf8', 0, size).trim()
      return text === '' ? '' : `: ${text}`
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** Where the shell of a startup line writes how the line ended. */
export const exitFile = (dir: string, name: PartName): string => join(dir, 'log', `${name}.exit`)

/** How a startup line ended; undefined when it has not, or was killed together with its shell. */
export function exitCode(dir: string, name: PartName): number | undefined {
  try {
    const text = readFileSync(exitFile(dir, name), 'utf8').trim()
    return text === '' ? undefined : Number(text)
  } catch {
    return undefined
  }
}

const logFile = (dir: string, name: PartName): string => join(dir, 'log', `${name}.log`)

function firstLine(from: Readable, ended: () => DeskhandError): Promise<string> {
  const line = new Promise<string>((done, fail) => {
    let text = ''
    from.on('data', (data: Buffer) => {
      text += data.toString('latin1')
      const end = text.indexOf('\n')
      if (end < 0) return
      done(text.slice(0, end))
      from.destroy()
    })
    from.once('end', () => fail(ended()))
    from.once('error', fail)
  })
  // The desktop may fail elsewhere before this promise is awaited.
  line.catch(() => {})
  return line
}
