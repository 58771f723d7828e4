import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { spawnHost, supervise, type Driver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { loadCommitmentKey, memoryJournal, openEvidence, openJournal, type ReadableJournal } from '@deskhand/core/journal'
import type { Approval, DesktopKind, Principal, Result } from '@deskhand/core/model'
import { openPolicy, PRESETS, type Preset, type RulePolicy } from '@deskhand/core/policy'
import { Session } from '@deskhand/core/session'
import { openVirtual, type VirtualDriver } from '@deskhand/driver-virtual'
import { Avis } from './avis.ts'
import { Place } from './broker/place.ts'
import { terminalOf } from './broker/terminal.ts'
import { PauseSwitch } from '@deskhand/code/pyautogui'
import { Code } from './code.ts'
import { Config, nameOf, stateDir, type ConfigInput } from './config.ts'
import { dispatch, type CallOptions, type Desk } from './desk.ts'
import { limitApps } from './desktop/apps.ts'
import { ownSandbox } from './desktop/own.ts'
import { features, otherDrivers } from './drivers.ts'
import { evidenceKeyOf } from './evidence.ts'
import { encode, formats } from './encode.ts'
import { humanOf } from './human.ts'
import { Secrets } from './secrets.ts'
import type { Station } from './tools/tool.ts'

export interface OpenOptions {
  /** What deskhand.toml would say. */
  config?: ConfigInput
  /** Keep the journal and its keys in the state folder, as a broker does; otherwise they live in memory. */
  keep?: boolean
  /** Answers approvals in this process; without it nobody can. */
  approve?: (approval: Approval) => Promise<{ allow: boolean; reason?: string }>
}

/** A desktop in this process, with its session in reach. */
export interface Opened extends Desk {
  readonly session: Session
  /** The simulated desktop by AVIS commands; `run` takes the same names as the avis.* tools. */
  readonly avis?: Avis
  readonly policy: () => RulePolicy
  readonly who: Principal
  /** What a program needs to run on this desktop, where it is a sandbox. */
  readonly env?: NodeJS.ProcessEnv
}

/** Opens a desktop in this process: the simulated one unless the configuration says otherwise. */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  const config = Config.parse(options.config ?? {})
  const place = options.keep ? new Place(stateDir(config), nameOf(config)) : undefined
  place?.prepare()
  const unlock = place?.lock()
  const opened = await openSession(config, { place, interactive: options.approve !== undefined }).catch((thrown: unknown) => {
    unlock?.()
    throw thrown
  })
  const { session, avis, policy, env, close } = opened
  const who: Principal = { id: 'agent', role: 'agent' }
  if (options.approve !== undefined) {
    const { approve } = options
    session.approvals.onChange = (approval, answer) => {
      if (answer === undefined)
        void approve(approval)
          .catch((thrown: unknown) => ({ allow: false, reason: `nobody could be asked: ${DeskhandError.from(thrown).message}` }))
          .then((a) => session.answer(approval.id, { ...a, scope: 'once', by: { id: 'operator', role: 'operator' } }))
          .catch(() => {})
    }
  }
  return {
    session,
    avis,
    policy,
    who,
    env,
    call: (tool: string, args: unknown = {}, callOptions: CallOptions = {}): Promise<Result> =>
      dispatch({ session, avis, pythonEngine: config.python.engine }, who, tool, args, callOptions),
    close: async () => {
      await close()
      unlock?.()
    },
  }
}

export interface OpenedSession extends Station {
  pauses: PauseSwitch
  policy: () => RulePolicy
  /** Processes that no agent may touch: this one, its terminal, and whoever is added. */
  own: Set<number>
  env?: NodeJS.ProcessEnv
  /** What of the configuration is done otherwise. */
  warnings: readonly string[]
  /** When the desktop is gone for good, and why. */
  died: Promise<DeskhandError>
  close(): Promise<void>
}

interface SessionOptions {
  place?: Place
  interactive: boolean
  /** What the configuration says now about the simulated desktop; what it said at the start where this is absent. */
  permissions?: () => Config['avis']
}

/** The only wiring: driver, policy, journal and redaction become a session. */
export async function openSession(config: Config, options: SessionOptions): Promise<OpenedSession> {
  const { kind } = config.desktop
  const { permissions = () => config.avis } = options
  const urn = `urn:deskhand:${kind}:${nameOf(config)}`
  const policy = policyOf(config)
  const own = new Set([process.pid, ...terminalOf(process.pid)])
  const { driver, simulated, env, warnings = [], died, end, down } = await driverOf(config, urn)
  let journal: ReadableJournal | undefined
  try {
    const durability = config.journal.durability ?? (kind === 'virtual' ? 'none' : 'real')
    const { place } = options
    place?.setDesktop(urn)
    journal =
      place === undefined ? memoryJournal() : await openJournal({ dir: place.journal, desktop: urn, keyDir: place.keys, durability })
    const secrets = new Secrets(join(stateDir(config), 'secrets.toml'), place && (await loadCommitmentKey(place.keys, urn)))
    const pauses = new PauseSwitch()
    const code = new Code({
      pauses,
      projectRoot: process.cwd(),
      stateDir: stateDir(config),
      timeoutSeconds: config.python.timeout,
      allowed: () => kind !== 'virtual' || permissions().can_execute_code,
    })
    const session = await Session.open({
      driver,
      journal,
      policy: () => policy,
      desktop: kind,
      mode: config.policy.mode,
      redactor: secrets.redactor,
      secret: (name, target) => secrets.reveal(name, target),
      own: () => ({ pids: [...own], consoleUrls: [] }),
      approver: options.interactive ? { expiryMs: config.approvals.expirySeconds * 1000 } : undefined,
      encode,
      evidence: openEvidence(place?.journal ?? '', place && (await evidenceKeyOf(config))),
      formats,
      human: humanOf(config),
      treeless: config.privacy.treeless ?? (kind === 'host' ? 'mask' : 'show'),
      code,
      features,
      otherDrivers: () => otherDrivers(kind),
      end,
      durable: durability === 'real',
    })
    return {
      session,
      avis: simulated && new Avis(simulated, permissions),
      pythonEngine: config.python.engine,
      pauses,
      policy: () => policy,
      own,
      env,
      warnings,
      died,
      close: async () => {
        await session.close()
        await code.close()
        await down()
      },
    }
  } catch (thrown) {
    await driver.close().catch(() => {})
    await journal?.close()
    await down()
    throw thrown
  }
}

interface OpenedDriver {
  driver: Driver
  simulated?: VirtualDriver
  env?: NodeJS.ProcessEnv
  warnings?: readonly string[]
  died: Promise<DeskhandError>
  /** Ends an application of this desktop, where they are ours to end. */
  end?: (pid: number) => Promise<void>
  down(): Promise<void>
}

async function driverOf(config: Config, urn: string): Promise<OpenedDriver> {
  const { kind } = config.desktop
  switch (kind) {
    case 'virtual': {
      const simulated = virtual(config, urn)
      return { driver: simulated, simulated, died: new Promise(() => {}), down: async () => {} }
    }
    case 'sandbox':
      return sandbox(config, urn)
    case 'host':
      return { ...(await linuxHost(process.env, urn)), down: async () => {} }
    default:
      return kind satisfies never
  }
}

function virtual(config: Config, urn: string): VirtualDriver {
  const file = config.desktop.ui ?? new URL('../demo/invoices.ui.json', import.meta.url)
  return openVirtual({ ui: readFileSync(file, 'utf8'), desktop: urn })
}

/** The sandbox and the driver on it; a driver that lost the accessibility bus is started anew with the bus. */
async function sandbox(config: Config, urn: string): Promise<OpenedDriver> {
  let host: LinuxHost | undefined
  const owned = await ownSandbox(join(stateDir(config), 'sandboxes'), config.desktop, (part) => {
    if (part.startsWith('accessibility')) host?.restart()
  })
  const { env, warnings, end, down } = owned
  try {
    host = await linuxHost(env, urn)
    return { driver: host.driver, env, warnings, end, down, died: Promise.race([owned.died, host.died.then(owned.explain)]) }
  } catch (thrown) {
    await down()
    throw thrown
  }
}

interface LinuxHost {
  driver: Driver
  died: Promise<DeskhandError>
  restart(): void
}

/** The Linux driver in a process of its own; should that one be killed, this one releases what it held. */
async function linuxHost(env: NodeJS.ProcessEnv, urn: string): Promise<LinuxHost> {
  const { releaseAll } = await import('@deskhand/driver-linux')
  const entry = createRequire(import.meta.url).resolve('@deskhand/driver-linux/host')
  let pid = 0
  const start = async () => {
    const host = await spawnHost({
      command: process.execPath,
      args: [entry],
      env: { ...env, DESKHAND_URN: urn },
      onDeath: () => void releaseAll(env).catch(() => {}),
    })
    pid = host.pid
    return host
  }
  return { ...(await supervise(start)), restart: () => endPolitely(pid) }
}

function endPolitely(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It ended by itself.
  }
}

function policyOf(config: Config): RulePolicy {
  const { preset = defaultPreset(config.desktop.kind), files, admin, nonInteractive } = config.policy
  if (!isPreset(preset))
    throw new DeskhandError('BAD_CONFIG', `policy.preset: there is no preset ${preset}`, { next: `Use one of ${PRESETS.join(', ')}.` })
  const policy = openPolicy({ preset, user: files, admin, settings: { automation: config.automation, nonInteractive } })
  return limitApps(policy, config.desktop.apps)
}

/** A sandbox that was brought up is the operator's grant to act on it; a person's own desktop is supervised. */
export const defaultPreset = (kind: DesktopKind): Preset => (kind === 'host' ? 'supervised' : 'sandbox')

const isPreset = (name: string): name is Preset => PRESETS.some((p) => p === name)
