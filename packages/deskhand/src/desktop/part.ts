import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DeskhandError } from '@deskhand/core/errors'
import { type ProcessId, identify } from './process.ts'
import type { PartName } from './record.ts'

export interface Part {
  process: ProcessId
  /** What it wrote first on descriptor 3, where X servers and buses announce themselves. */
  firstLine: Promise<string>
  /** Throws when it has ended. */
  check(): void
  log(): string
}

/** Starts a program that stays when we go: a session of its own, its output in a file. */
export function startPart(name: PartName, program: string, args: string[], env: Record<string, string>, dir: string): Part {
  const file = join(dir, 'log', `${name}.log`)
  const output = openSync(file, 'w', 0o600)
  const child = spawn(program, args, { cwd: dir, env, detached: true, stdio: ['ignore', output, output, 'pipe'] })
  closeSync(output)
  child.unref()
  child.once('error', () => {})
  const process = child.pid === undefined ? undefined : identify(child.pid)
  const log = (): string => `${name}: ${readFileSync(file, 'utf8').trim().slice(-600)}`
  const ended = (): DeskhandError => new DeskhandError('DRIVER_FAILED', `${program} ended while the desktop came up`, { details: { log: log() } })
  if (process === undefined) throw ended()
  return {
    process,
    firstLine: firstLine(child.stdio[3] as Readable, ended),
    check: () => {
      if (child.exitCode !== null || child.signalCode !== null) throw ended()
    },
    log,
  }
}

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
  // Not every part has something to say, and not everybody listens.
  line.catch(() => {})
  return line
}
