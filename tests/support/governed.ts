import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedDriver } from '@deskhand/core/driver'
import type { JournalEntry, Result } from '@deskhand/core/model'
import type { Session, Ports } from '@deskhand/core/session'
import type { Vision } from '@deskhand/vision'
import type { CallOptions } from 'deskhand'
import type { Sandbox, SandboxOptions } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { encode, formats } from '../../packages/deskhand/src/wiring/encode.ts'
import { govern } from './desk.ts'
import { testDesktop } from './desktop.ts'
import { linuxHost, shown, start } from './linux.ts'

/** A governed session on a real desktop, driven from a process of its own. */
export interface RealDesk {
  sandbox: Sandbox
  driver: HostedDriver
  session: Session
  call(tool: string, args?: unknown, options?: CallOptions): Promise<Result>
  journal(): Promise<JournalEntry[]>
  /** Starts a program and waits for its window. */
  show(title: string, command: string, args?: string[]): Promise<string>
  /** Runs a tool that knows nothing of Deskhand on this desktop, and gives what it printed. */
  ask(command: string, ...args: string[]): string
  close(): Promise<void>
}

export async function realDesk(
  options: {
    policy?: string
    ports?: Partial<Ports>
    size?: { width: number; height: number }
    display?: SandboxOptions['display']
    vision?: Vision
  } = {},
): Promise<RealDesk> {
  const sandbox = await testDesktop({ ...options.size, display: options.display })
  const driver = await linuxHost(sandbox)
  const governed = await govern(
    driver,
    options.policy,
    {
      desktop: 'sandbox',
      mode: 'allow_actual_input_full',
      encode,
      formats,
      ...options.ports,
    },
    options.vision,
  )
  return {
    ...governed,
    sandbox,
    driver,
    show: async (title, command, args = []) => {
      start(sandbox, command, args)
      return shown(driver, title)
    },
    ask: (command, ...args) => execFileSync(command, args, { env: sandbox.env, encoding: 'utf8', maxBuffer: 64 << 20 }),
    close: async () => {
      await governed.session.close()
      await sandbox.down()
    },
  }
}

/** Looks until the clock of `pay_gtk3.py` was seen ticking by itself, so that its next tick voids no question. */
export async function seenTicking(desk: Pick<RealDesk, 'call'>): Promise<void> {
  for (let last = '', seen = 0; seen < 4; await sleep(100)) {
    const { data } = await desk.call('ui.query', { selector: 'role=label && name~="ticks"' })
    if (JSON.stringify(data) !== last) seen++
    last = JSON.stringify(data)
  }
}
