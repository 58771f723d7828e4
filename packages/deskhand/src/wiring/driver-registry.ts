import { createRequire } from 'node:module'
import { type Driver, type DriverFactory, spawnHost, supervise } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { virtualDriver } from '@deskhand/driver-virtual'

/** Every driver that Deskhand comes with. A package is loaded when its driver is used. */
const DRIVERS = {
  linux: async (): Promise<DriverFactory> => (await import('@deskhand/driver-linux')).linuxDriver,
  windows: async (): Promise<DriverFactory> => (await import('@deskhand/driver-windows')).windowsDriver,
  virtual: async (): Promise<typeof virtualDriver> => (await import('@deskhand/driver-virtual')).virtualDriver,
}

export type DriverKind = keyof typeof DRIVERS

export function driverFactory<K extends DriverKind>(kind: K): ReturnType<(typeof DRIVERS)[K]>
export function driverFactory(kind: DriverKind): Promise<DriverFactory> {
  return DRIVERS[kind]()
}

/** The driver for the desktop of the person at this machine. */
export function hostKind(platform: NodeJS.Platform = process.platform): DriverKind {
  if (platform === 'linux') return 'linux'
  if (platform === 'win32') return 'windows'
  throw new DeskhandError('NO_DESKTOP', `Deskhand has no driver for ${platform} yet`, {
    next: 'Use the simulated desktop: desktop.kind = "virtual" in deskhand.toml.',
  })
}

export interface DriverHost {
  driver: Driver
  /** When the host is given up, or the desktop itself is gone. */
  died: Promise<DeskhandError>
  /** Ends the host or its start, which is done anew, with these variables instead of those of the last time and so long to get ready; returns when the old one has ended. */
  restart(added?: NodeJS.ProcessEnv, readyMs?: number): Promise<void>
}

/** A driver in a process of its own. Should that one be killed, this one releases what it held. */
export async function hostDriver(kind: DriverKind, env: NodeJS.ProcessEnv, urn: string): Promise<DriverHost> {
  const { host, releaseAll }: DriverFactory = await driverFactory(kind)
  if (host === undefined) throw new DeskhandError('INTERNAL', `the driver ${kind} runs in its owner's process`)
  const entry = createRequire(import.meta.url).resolve(host)
  let more: NodeJS.ProcessEnv = {}
  let patience: number | undefined
  const { driver, died, restart } = await supervise((signal) =>
    spawnHost({
      command: process.execPath,
      args: [entry],
      env: { ...env, ...more, DESKHAND_URN: urn },
      readyMs: patience,
      signal,
      onDeath: () => void releaseAll(env).catch(() => {}),
    }),
  )
  const restartWith = (added: NodeJS.ProcessEnv = {}, readyMs?: number): Promise<void> => {
    more = added
    patience = readyMs
    return restart()
  }
  return { driver, died, restart: restartWith }
}
