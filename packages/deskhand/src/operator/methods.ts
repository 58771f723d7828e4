import { openEvidence, verifyJournal } from '@deskhand/core/journal'
import type { Handlers, MethodParams, MethodResult } from '@deskhand/core/model'
import { checkPolicyText, decidedCalls, RateCounter, replayDecisions, type RulePolicy, type Setting } from '@deskhand/core/policy'
import type { DesktopState } from '../broker/desktop-state.ts'
import type { Config } from '../config.ts'
import type { ToolContext } from '../tools/tool.ts'
import { evidenceKeyOf } from '../wiring/evidence.ts'
import { policyOf } from '../wiring/open.ts'
import { explainCall, RULED } from './explain.ts'

type OperatorMethod =
  | 'policy.explain'
  | 'policy.rules'
  | 'policy.check'
  | 'policy.trial'
  | 'journal.verify'
  | 'journal.evidence'
  | 'settings'

export interface OperatorContext extends ToolContext {
  policy: () => RulePolicy
  place: DesktopState
  config: Config
}

/** What people ask about a desktop beside its session: the policy, the record as files, the configuration. */
export function operatorMethods(on: OperatorContext): Handlers<OperatorMethod> {
  const { policy, place, config } = on
  return {
    'policy.explain': (call) => explainCall(on, policy(), call),
    'policy.rules': () => {
      const { version, settings, rules } = policy()
      const { automation, nonInteractive } = settings
      return {
        version,
        automation: automation.enabled,
        nonInteractive,
        rules: rules.map(({ source, spec }) => ({ source, spec: { ...spec } })),
      }
    },
    'policy.check': ({ text }) => checkPolicyText(text, 'draft.toml', { tools: RULED }),
    'policy.trial': (params) => trial(on, params),
    'journal.verify': () =>
      verifyJournal({ dir: place.journal, desktop: place.desktop(), anchorDir: place.keys, external: config.journal.anchor }),
    'journal.evidence': async ({ id }) => ({ bytes: await openEvidence(place.journal, await evidenceKeyOf(config)).read(id) }),
    settings: () => ({ ...config }),
  }
}

async function trial(on: OperatorContext, { text, limit, all }: MethodParams<'policy.trial'>): Promise<MethodResult<'policy.trial'>> {
  const draft = policyOf(on.config, text)
  const last = await on.session.invoke('journal.read', { types: ['decided'], newest: true, limit }, OPERATOR)
  const setting: Setting = {
    desktop: on.session.state.kind,
    driver: on.session.info.kind,
    mode: on.session.state.mode,
    now: Date.now(),
    interactive: true,
    rates: new RateCounter(),
  }
  return replayDecisions(draft, decidedCalls(last.toReversed()), { setting })
    .filter((row) => all || row.differs)
    .map(({ call: { seq, time, tool }, was, now, risk, differs }) => ({ seq, time, tool, was, now, risk: risk.level, differs }))
}

const OPERATOR = { id: 'operator', role: 'operator' } as const
