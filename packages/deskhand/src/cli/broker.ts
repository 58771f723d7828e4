import { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { DesktopKind } from '@deskhand/core/model'
import { AgentSocket, groupId } from '../broker/agent-socket.ts'
import { Broker } from '../broker/server.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import { mustBeLocked } from '../broker/trust.ts'
import { type Config, nameOf, type ConfigInput } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { findSandbox } from '../desktop/takedown.ts'
import { openSession } from '../wiring/open.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'
import { displayOf } from './display.ts'

export interface BrokerFlags {
  desktop?: string
  ui?: string
  sandbox?: string
  isolate?: boolean
  display?: string
  policy?: string[]
  preset?: string
  agentGroup?: string
  door?: string
  json?: boolean
  /** End after so many minutes in which no client was connected. */
  idle?: string
  /** Where the console is served by the HTTP server that started this process and speaks to it over CALLS_FD and PICTURES_FD. */
  front?: string
}

/** The streams to the HTTP server that started this process. */
const CALLS_FD = 3
const PICTURES_FD = 4

/** Owns a desktop and serves it on this machine, until an operator, a signal or the end of the desktop. */
export async function broker(common: Common, options: BrokerFlags): Promise<void> {
  const kind = options.desktop === undefined ? undefined : DesktopKind.safeParse(options.desktop)
  if (kind !== undefined && !kind.success)
    throw new DeskhandError('BAD_ARGS', `there is no desktop kind ${options.desktop}`, { next: 'Use virtual, sandbox or host.' })
  const flags: ConfigInput = {
    desktop: { kind: kind?.data, ui: options.ui, sandbox: options.sandbox, isolate: options.isolate, display: displayOf(options.display) },
    policy: { files: options.policy?.map((file) => resolve(file)), preset: options.preset },
  }
  const idle = options.idle === undefined ? undefined : Number(options.idle)
  if (idle !== undefined && !(idle > 0)) throw new DeskhandError('BAD_ARGS', `--idle takes minutes, not ${JSON.stringify(options.idle)}`)
  const config = configOf(common, { flags })
  const place = new DesktopState(stateDir(config), nameOf(config))
  const door = doorOf(options, place)
  const isolated = isLocked(config)
  if (door !== undefined) mustBeLocked(config.desktop.kind, isolated, config.desktop.sandbox)
  place.prepare()
  const unlock = await place.lock()
  let ending: (() => Promise<void>) | undefined
  let death: DeskhandError | void
  try {
    const opened = await openSession(config, {
      place,
      interactive: true,
      approvalWaitMs: config.approvals.waitSeconds * 1000,
      permissions: () => configOf(common, { flags }).avis,
    })
    ending = opened.close
    if (options.front !== undefined) {
      opened.consoles.add(options.front)
      opened.own.add(process.ppid)
    }
    for (const warning of opened.warnings) process.stderr.write(`note: ${warning}\n`)
    const served = await Broker.start({ ...opened, config, place, door, isolated })
    ending = async () => {
      await served.close()
      await opened.close()
    }
    const front = options.front === undefined ? undefined : served.serveFront(inherited(CALLS_FD), inherited(PICTURES_FD))
    const { info } = opened.session
    const ready = {
      name: place.name,
      desktop: info.desktop,
      driver: info.name,
      socket: place.socket,
      journal: place.journal,
      door: door?.at.dir,
    }
    const agents =
      door === undefined
        ? 'deskhand mcp, deskhand call'
        : `the same, from users of the group ${door.gid}: DESKHAND_DOOR=${door.at.dir} deskhand mcp`
    process.stdout.write(
      options.json
        ? `${JSON.stringify(ready)}\n`
        : `${place.name}: ${info.name} ${info.version} is up (${info.desktop})\nagents:  ${agents}\nyou:     deskhand approvals --watch, deskhand stop, deskhand down\n`,
    )
    death = await Promise.race([
      served.ended,
      opened.died,
      signalled(),
      // A server that ended is no fault of the broker; a stream that cannot be understood is one.
      ...(front === undefined ? [] : [front.closed.then(withoutServer)]),
      ...(idle === undefined ? [] : [served.idle(idle)]),
    ])
  } finally {
    await ending?.()
    unlock()
  }
  if (death) process.stderr.write(`${death.code}: ${death.message}\nNext: ${death.next}\n`)
  process.exit(death?.exitCode ?? 0)
}

function withoutServer(why: DeskhandError | undefined): DeskhandError | undefined {
  if (why?.code === 'PROTOCOL') return why
  if (why !== undefined) process.stderr.write(`note: the server is gone, and so is this desktop: ${why.message}\n`)
  return undefined
}

const inherited = (fd: number): Socket => new Socket({ fd, readable: true, writable: true })

function doorOf({ agentGroup, door }: BrokerFlags, place: DesktopState): { at: AgentSocket; gid: number } | undefined {
  if (agentGroup === undefined && door === undefined) return undefined
  if (agentGroup === undefined) throw new DeskhandError('BAD_ARGS', 'a door needs --agent-group: who may come in')
  return { at: new AgentSocket(door ?? `/run/deskhand/${place.name}`), gid: groupId(agentGroup) }
}

/** Whether the programs of a sandbox are, or will be, locked up. */
function isLocked(config: Config): boolean {
  const { kind, isolate, sandbox } = config.desktop
  if (kind !== 'sandbox' || sandbox === undefined) return isolate
  return findSandbox(join(stateDir(config), 'sandboxes'), sandbox).record.isolated
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
  })
}
