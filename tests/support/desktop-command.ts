import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { markOf } from '../../packages/deskhand/src/desktop/environment.ts'
import { marked } from '../../packages/deskhand/src/desktop/process.ts'
import { inodeOf } from '../../packages/deskhand/src/desktop/sockets.ts'
import { listSandboxes, takeDown } from '../../packages/deskhand/src/desktop/takedown.ts'
import { World, type Finished } from './cli.ts'

/** What `deskhand desktop up --json` prints. */
export interface Up {
  id: string
  name: string
  display: string
  dir: string
  vnc?: string
}

/** A desktop that came up, and what its X server's socket was then: the number is free for others when it is down. */
export interface Desktop extends Up {
  err: string
  socket: string | undefined
}

/** A state folder whose desktops are made and taken down from the command line. */
export class DesktopCommand extends World {
  desktop(...args: string[]): Promise<Finished> {
    return this.run(['desktop', ...args])
  }

  /** A desktop that must come up. */
  async bringUp(...args: string[]): Promise<Desktop> {
    const { code, out, err } = await this.desktop('up', '--json', ...args)
    expect(err + String(code)).toMatch(/0$/)
    const up = JSON.parse(out) as Up
    return { ...up, err, socket: inodeOf(socketOf(up)) }
  }

  /** A desktop file with this text. */
  yaml(text: string): string {
    return this.file('desk.yaml', text)
  }

  override async end(): Promise<void> {
    const state = join(this.dir, 'state', 'sandboxes')
    for (const { record } of existsSync(state) ? listSandboxes(state) : []) await takeDown(state, record)
    await super.end()
  }
}

/** What is still there of a desktop: its folder, its display, its processes. */
export const left = (up: Desktop): unknown[] => [
  ...[up.dir].filter(existsSync),
  ...[socketOf(up)].filter((path) => existsSync(path) && inodeOf(path) === up.socket),
  ...marked(markOf(up.id)),
]

const socketOf = ({ display }: Up): string => `/tmp/.X11-unix/X${display.slice(1)}`
