import type { Driver } from './driver.ts'

export interface OpenDriverOptions {
  /** The URN by which the owner of the desktop calls it; the driver reports it as `info.desktop`. */
  urn: string
  /** Names the desktop, where the operating system has several. */
  env: Readonly<Record<string, string | undefined>>
  /** The user interface of a simulated desktop. */
  ui?: unknown
}

/** What a driver package offers to the process that owns a desktop. */
export interface DriverFactory<D extends Driver = Driver> {
  kind: string
  /** Opens the desktop in this process. */
  open(options: OpenDriverOptions): Promise<D>
  /** The module that serves the driver in a process of its own, with DESKHAND_URN in its environment; absent where it needs none. */
  host?: string
  /** Lets go of every key and button that is down, for a driver that was killed before it could do so itself. */
  releaseAll(env: OpenDriverOptions['env']): Promise<void>
}
