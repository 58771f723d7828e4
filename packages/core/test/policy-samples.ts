import type { ActionKind, TargetFacts } from '../src/model/index.ts'
import { createPolicy, parsePolicy, type RulePolicy, type Setting, type Settings, type Subject, type Tier } from '../src/policy/index.ts'

/** A button in a text editor, well identified: nothing about it raises the risk. */
export function target(over: Partial<TargetFacts> = {}): TargetFacts {
  return {
    role: 'button',
    name: 'Save',
    path: ['Untitled', 'Save'],
    source: 'structure',
    confidence: 0.97,
    why: [],
    app: { id: 'app1', name: 'Mousepad', pid: 100, executable: '/usr/bin/mousepad' },
    window: { key: 'w1', title: 'Untitled', role: 'window' },
    ...over,
  }
}

export const inApp = (executable: string, over: Partial<TargetFacts> = {}): TargetFacts =>
  target({ app: { id: 'app2', name: 'An application', pid: 200, executable }, ...over })

export function call(kind: ActionKind = 'click', over: Partial<Subject> = {}): Subject {
  return { tool: `ui.${kind}`, kind, args: {}, principal: { id: 'agent', role: 'agent' }, targets: [target()], tainted: false, ...over }
}

export function on(desktop: Setting['desktop'] = 'sandbox', over: Partial<Setting> = {}): Setting {
  return { desktop, driver: 'linux', mode: 'allow_actual_input_full', now: Date.UTC(2026, 0, 1), ...over }
}

/** A policy of rules written out, nothing else but what risk means. */
export function policy(toml: string, options: { tier?: Tier; settings?: Partial<Settings>; admin?: string } = {}): RulePolicy {
  const rules = [
    ...parsePolicy(toml, 'rules.toml', options.tier ?? 'user').rules,
    ...(options.admin === undefined ? [] : parsePolicy(options.admin, 'admin.toml', 'admin').rules),
  ]
  return createPolicy({ rules, settings: options.settings })
}

export function judge(by: RulePolicy, subject: Subject, setting: Setting = on()) {
  return by.decide(subject, by.assess(subject, setting), setting)
}

export const verdict = (by: RulePolicy, subject: Subject, setting: Setting = on()): string => judge(by, subject, setting).verdict
