import { validateScript } from '@deskhand/code/pyautogui'
import { DeskhandError } from '@deskhand/core/errors'
import { openEvidence, verifyJournal } from '@deskhand/core/journal'
import type { Handlers, MethodParams, MethodResult } from '@deskhand/core/model'
import {
  checkPolicyText,
  decidedCalls,
  hasHiddenText,
  PRESETS,
  presetText,
  proposeRule,
  RateCounter,
  replayDecisions,
  type RulePolicy,
  type Setting,
} from '@deskhand/core/policy'
import type { DesktopState } from '../broker/desktop-state.ts'
import type { Code } from '../code/engine.ts'
import type { Config } from '../config.ts'
import type { ToolContext } from '../tools/tool.ts'
import { evidenceKeyOf } from '../wiring/evidence.ts'
import type { DesktopPolicy } from '../wiring/policy.ts'
import { examine } from './doctor.ts'
import { explainCall, RULED } from './explain.ts'

type OperatorMethod =
  | 'policy.explain'
  | 'policy.rules'
  | 'policy.check'
  | 'policy.trial'
  | 'policy.propose'
  | 'policy.saved'
  | 'policy.save'
  | 'script.check'
  | 'journal.verify'
  | 'journal.evidence'
  | 'settings'
  | 'settings.python'
  | 'doctor'
  | 'tokens.list'
  | 'tokens.add'
  | 'tokens.remove'
  | 'screen.size'

export interface OperatorContext extends ToolContext {
  policy: () => RulePolicy
  rules: DesktopPolicy
  place: DesktopState
  config: Config
  /** Checks Python, and says how long it may take, which operators change. */
  code: Pick<Code, 'check' | 'timeoutSeconds'>
  /** Gives the screen another size; absent where it is not ours. */
  resize?: (width: number, height: number) => Promise<void>
}

/** What people ask about a desktop beside its session: the policy, the record as files, the configuration. */
export function operatorMethods(on: OperatorContext): Handlers<OperatorMethod> {
  const { policy, rules, place, config } = on
  return {
    'policy.explain': (call) => explainCall(on, policy(), call),
    'policy.rules': async () => {
      await rules.settled()
      const { version, settings, rules: inForce } = policy()
      const { automation, nonInteractive } = settings
      return {
        version,
        automation: automation.enabled,
        nonInteractive,
        presets: PRESETS.map((name) => ({ name, about: aboutOf(name), inForce: name === rules.preset })),
        rules: inForce.map(({ source, spec }) => ({ source, spec: { ...spec } })),
      }
    },
    'policy.check': ({ text }) => checkPolicyText(text, 'draft.toml', { tools: RULED }),
    'policy.trial': (params) => trial(on, params),
    'policy.propose': (params) => propose(on, params),
    'policy.saved': async () => {
      await rules.settled()
      return { file: rules.file, text: rules.saved, version: policy().version }
    },
    'policy.save': async ({ text, version }, { who }) => {
      await rules.save(text, version, (change) => on.session.noted('policy', who, { ...change, text }))
      return { file: rules.file, text, version: policy().version }
    },
    'script.check': ({ script, language }) => (language === 'python' ? on.code.check(script, config.python.engine) : wrongWith(script)),
    'journal.verify': () =>
      verifyJournal({ dir: place.journal, desktop: place.desktop(), anchorDir: place.keys, external: config.journal.anchor }),
    'journal.evidence': async ({ id }, { who }) => {
      const bytes = await openEvidence(place.journal, await evidenceKeyOf(config)).read(id)
      await on.session.noted('evidence', who, { id })
      return { bytes }
    },
    settings: () => ({ ...config, python: { ...config.python, timeout: on.code.timeoutSeconds } }),
    'settings.python': async ({ timeout }, { who }) => {
      await on.session.noted('python', who, { timeout })
      on.code.timeoutSeconds = timeout
      return null
    },
    doctor: () => examine(config),
    'tokens.list': () => place.tokens.list(),
    'tokens.add': async ({ id, role }, { who }) => {
      const known = place.tokens.list().find((holder) => holder.id === id)
      if (known?.role === 'operator')
        throw new DeskhandError('BAD_ARGS', `the token of ${id} is not made here`, { next: 'Choose another name.' })
      await on.session.noted('token', who, { id, role })
      return { token: place.tokens.issue(id, role) }
    },
    'tokens.remove': async ({ id }, { who }) => {
      const known = place.tokens.list().find((holder) => holder.id === id)
      if (known === undefined)
        throw new DeskhandError('BAD_ARGS', `there is no token of ${id} that can be removed here`, { next: 'GET …/tokens lists them.' })
      await on.session.noted('token.remove', who, { id })
      place.tokens.remove(id)
      return null
    },
    'screen.size': async ({ width, height }, { who }) => {
      if (on.resize === undefined) throw new DeskhandError('NOT_CAPABLE', 'only the screen of a sandbox takes another size')
      await on.session.noted('screen', who, { width, height })
      await on.resize(width, height)
      return null
    },
  }
}

async function trial(
  on: OperatorContext,
  { text, before, limit, all }: MethodParams<'policy.trial'>,
): Promise<MethodResult<'policy.trial'>> {
  const draft = on.rules.with(text)
  const last = await on.session.invoke('journal.read', { types: ['decided'], newest: true, before, limit }, OPERATOR)
  const setting: Setting = {
    desktop: on.session.state.kind,
    driver: on.session.info.kind,
    mode: on.session.state.mode,
    now: Date.now(),
    interactive: true,
    rates: new RateCounter(),
  }
  const rows = replayDecisions(draft, decidedCalls(last.toReversed()), { setting })
  const told = rows.filter((row) => all || row.differs)
  const oldest = last.at(-1)
  return {
    calls: told.map(({ call: { seq, time, op, tool, targets }, was, now, risk, differs }) => {
      return { seq, time, op, tool, target: targets[0], was, now, risk: risk.level, differs }
    }),
    read: rows.length,
    since: oldest?.time,
    hidden: rows.filter((row) => hasHiddenText(row.call)).length,
    ...(last.length === limit && { next: oldest?.seq }),
  }
}

async function propose(on: OperatorContext, { op, decision }: MethodParams<'policy.propose'>): Promise<MethodResult<'policy.propose'>> {
  const [call] = decidedCalls(await on.session.invoke('journal.read', { op, types: ['decided'], newest: true }, OPERATOR))
  if (call === undefined) throw new DeskhandError('UNKNOWN_OP', `no call ${op} is in the record`)
  return { text: proposeRule(call, decision, on.policy().rules) }
}

/** Where a script cannot be read or uses what it may not, and why. */
function wrongWith(script: string): MethodResult<'script.check'> {
  try {
    validateScript(script)
    return []
  } catch (thrown) {
    const { code, message } = DeskhandError.from(thrown)
    const [, line] = /^line (\d+)/.exec(message) ?? []
    if (code !== 'BAD_SCRIPT' || line === undefined) throw thrown
    return [{ line: Number(line), message }]
  }
}

/** What a preset says of itself in its first line. */
const aboutOf = (name: (typeof PRESETS)[number]): string => (presetText(name).split('\n')[0] ?? '').replace(/^# (?:\w+: )?/, '')

const OPERATOR = { id: 'operator', role: 'operator' } as const
