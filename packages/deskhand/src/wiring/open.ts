import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { memoryJournal, openEvidence, openJournal, type ReadableJournal } from '@deskhand/core/journal'
import { loadCommitmentKey } from '@deskhand/core/redaction'
import type { Approval, Principal, Result } from '@deskhand/core/model'
import { cpuPressure } from '@deskhand/core/platform'
import type { RulePolicy } from '@deskhand/core/policy'
import { Session } from '@deskhand/core/session'
import { Vision } from '@deskhand/vision'
import { Avis } from './avis.ts'
import { DesktopState } from '../broker/desktop-state.ts'
import { terminalOf } from '../broker/terminal.ts'
import { Code } from '../code/engine.ts'
import { Config, nameOf, type ConfigInput } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { dispatch } from '../tools/dispatch.ts'
import { Holds } from '../sdk/holds.ts'
import { refusal, type CallOptions, type HoldingDesk } from '../sdk/desk.ts'
import { Locator, type LocatingDesk, type LocatorOptions } from '../sdk/locator.ts'
import { openDriver } from './desktop-driver.ts'
import { driverEntries } from './driver-entries.ts'
import { features, otherDrivers } from './drivers.ts'
import { evidenceKeyOf } from './evidence.ts'
import { encode, formats } from './encode.ts'
import { humanOf } from './human.ts'
import { journalOptions } from './journal.ts'
import { Extensions, namedSelectors, taskFiles } from '../extension/store.ts'
import { machinePolicy } from './machine-policy.ts'
import { DesktopPolicy } from './policy.ts'
import { hasSign, showSign } from './sign.ts'
import { PlaybookFolder } from '../playbook/folder.ts'
import { Secrets } from '../secrets/secrets.ts'
import type { AvisRunner, ToolContext } from '../tools/tool.ts'

export interface OpenOptions {
  /** What deskhand.toml would say. */
  config?: ConfigInput
  /** Keep the journal and its keys in the state folder, as a broker does; otherwise they live in memory. */
  keep?: boolean
  /** Answers approvals in this process; without it every question is APPROVAL_NEEDED. */
  approve?: (approval: Approval) => Promise<ProgramAnswer>
}

/** A desktop in this process, with its session in reach. */
export interface Opened extends HoldingDesk, LocatingDesk {
  readonly session: Session
  /** The simulated desktop by AVIS commands; `run` takes the same names as the avis.* tools. */
  readonly avis?: AvisRunner
  readonly policy: () => RulePolicy
  readonly who: Principal
  /** What a program needs to run on this desktop, where it is a sandbox. */
  readonly env?: NodeJS.ProcessEnv
}

/** Opens a desktop in this process: the simulated one unless the configuration says otherwise. */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  const config = Config.parse(options.config ?? {})
  const place = options.keep ? new DesktopState(stateDir(config), nameOf(config)) : undefined
  place?.prepare()
  const unlock = await place?.lock()
  const opened = await openSession(config, { place, interactive: options.approve !== undefined }).catch((thrown: unknown) => {
    unlock?.()
    throw thrown
  })
  const { session, avis, policy, env, close } = opened
  const who: Principal = { id: 'agent', role: 'agent' }
  const holds = new Holds(session)
  if (options.approve !== undefined) void answerWith(session, options.approve)
  const desk: Opened = {
    session,
    avis,
    policy,
    who,
    env,
    get(selector: string, locating?: LocatorOptions): Locator {
      return new Locator(desk, selector, locating)
    },
    call: async (tool: string, args: unknown = {}, { hold, ...callOptions }: CallOptions = {}): Promise<Result> => {
      try {
        return await holds.during(hold, who, (lease) => dispatch(opened, who, tool, args, { ...callOptions, lease }))
      } catch (thrown) {
        return refusal(DeskhandError.from(thrown))
      }
    },
    hold: () => holds.take(new AbortController().signal),
    release: (hold) => holds.end(hold),
    close: async () => {
      await close()
      unlock?.()
    },
  }
  return desk
}

export interface OpenedSession extends ToolContext {
  policy: () => RulePolicy
  rules: DesktopPolicy
  code: Code
  /** Process ids that agents must not act on: this process, its terminal, and those added later. */
  own: Set<number>
  /** Where the operator's console is served: no agent may reach these addresses. */
  consoles: Set<string>
  env?: NodeJS.ProcessEnv
  /** Gives the screen another size, where it is ours. */
  resize?: (width: number, height: number) => Promise<void>
  /** What of the configuration is done otherwise. */
  warnings: readonly string[]
  /** When the desktop is gone for good, and why. */
  died: Promise<DeskhandError>
  close(): Promise<void>
}

/** Has a function of the program's answer every question. */
async function answerWith(session: Session, approve: NonNullable<OpenOptions['approve']>): Promise<void> {
  const answer = async (approval: Approval): Promise<void> => {
    const given: ProgramAnswer = await approve(approval).catch((thrown: unknown) => ({
      allow: false,
      reason: `the question could not be put: ${DeskhandError.from(thrown).message}`,
    }))
    const { shown = false, ...answer } = given
    if (shown) await session.invoke('approvals.shown', { id: approval.id }, OPERATOR)
    await session.invoke('approvals.answer', { id: approval.id, surface: 'program', ...answer }, OPERATOR)
  }
  for await (const event of session.events.subscribe())
    if (event.type === 'approval' && event.state === 'asked') void answer(event.approval).catch(() => {})
}

/** What a program's function answers; `shown` when it put the question to a person itself. */
interface ProgramAnswer {
  allow: boolean
  reason?: string
  shown?: boolean
}

/** What the window of a browser that shows the console is called. */
const CONSOLE_TITLE = 'Deskhand console'

const OPERATOR: Principal = { id: 'operator', role: 'operator' }

interface SessionOptions {
  place?: DesktopState
  interactive: boolean
  /** How long a call waits for a person before it says that it is pending; until the question expires when left out. */
  approvalWaitMs?: number
  /** What the configuration says now about the simulated desktop; what it said at the start where this is absent. */
  permissions?: () => Config['avis']
}

/** The only wiring: driver, policy, journal and redaction become a session. */
export async function openSession(config: Config, options: SessionOptions): Promise<OpenedSession> {
  const { kind } = config.desktop
  const { permissions = () => config.avis } = options
  const urn = `urn:deskhand:${kind}:${nameOf(config)}`
  const extensions = new Extensions(stateDir(config)).all(config.extensions.keys)
  const added = driverEntries(config, extensions)
  const rules = new DesktopPolicy(config, await machinePolicy(), options.place?.rules)
  const own = new Set([process.pid, ...terminalOf(process.pid)])
  const consoles = new Set<string>()
  const { place } = options
  const secrets = new Secrets(join(stateDir(config), 'secrets.toml'), place && (await loadCommitmentKey(place.keys, urn)))
  const hostEnv = {
    ...secrets.withoutSecrets(process.env, [config.evidence.keyEnv, ...added.map(({ mcp }) => ('url' in mcp ? mcp.tokenEnv : undefined))]),
    DESKHAND_SIGN: hasSign(config) ? String(process.pid) : undefined,
  }
  const { driver, simulated, env, warnings = [], died, admit, end, resize, down } = await openDriver(config, urn, hostEnv, added)
  let journal: ReadableJournal | undefined
  try {
    const kept = journalOptions(config)
    const { durability } = kept
    place?.setDesktop(urn)
    journal =
      place === undefined
        ? memoryJournal({ desktop: urn })
        : await openJournal({ dir: place.journal, desktop: urn, keyDir: place.keys, ...kept })
    const vision = new Vision({ ...config.vision, pressure: cpuPressure })
    const code = new Code({
      vision,
      projectRoot: config.python.project,
      stateDir: stateDir(config),
      timeoutSeconds: config.python.timeout,
      permissions: () => (kind === 'virtual' ? permissions() : undefined),
    })
    const session = await Session.open({
      urn,
      driver,
      journal,
      policy: () => rules.current,
      desktop: kind,
      mode: config.policy.mode,
      redactor: secrets.redactor,
      names: namedSelectors(extensions),
      secret: (name, target) => secrets.reveal(name, target),
      own: () => ({ pids: [...own], consoleUrls: [...consoles], titles: [CONSOLE_TITLE] }),
      approver: options.interactive
        ? { expiryMs: config.approvals.expirySeconds * 1000, waitMs: options.approvalWaitMs, trusted: config.policy.trustedClients }
        : undefined,
      encode,
      evidence: openEvidence(place?.journal ?? '', place && (await evidenceKeyOf(config))),
      formats,
      human: humanOf(config),
      treeless: config.privacy.treeless ?? (kind === 'host' ? 'mask' : 'show'),
      code,
      recognizer: vision,
      features: () => features(config, vision),
      otherDrivers: () => otherDrivers(kind),
      admit,
      end,
      durable: durability === 'real',
    })
    const avis = simulated && new Avis(simulated, permissions)
    await avis?.prepare()
    const sign = hasSign(config) ? await showSign(session, hostEnv) : undefined
    const { otlp, seconds } = config.telemetry
    const endTelemetry =
      otlp === undefined
        ? undefined
        : (await import('../telemetry/otlp.ts')).sendTelemetry(session.counters, { otlp, seconds, desktop: nameOf(config), kind })
    return {
      session,
      avis,
      vision,
      pythonEngine: config.python.engine,
      playbooks: new PlaybookFolder(config.playbooks ?? join(stateDir(config), 'playbooks'), taskFiles(extensions)),
      policy: () => rules.current,
      rules,
      code,
      own,
      consoles,
      env,
      resize,
      warnings: sign?.warning === undefined ? warnings : [...warnings, sign.warning],
      died,
      close: async () => {
        sign?.close()
        await session.close()
        await endTelemetry?.()
        await code.close()
        await vision.close()
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
