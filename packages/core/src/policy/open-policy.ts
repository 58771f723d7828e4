import type { PrivateSpec } from '../model/index.ts'
import { AppLimit, type AppList } from './app-limit.ts'
import { createPolicy, type RulePolicy } from './decide.ts'
import { loadPolicyFiles, type PolicyFile } from './load.ts'
import { loadPreset, type Preset } from './presets.ts'
import type { Settings } from './rule.ts'

export interface PolicyOptions {
  preset?: Preset
  /** Files or folders of the operator's own. */
  user?: readonly string[]
  /** Policies of either tier that lie in no file. */
  texts?: readonly PolicyFile[]
  /** Files or folders of the administrator's. */
  admin?: readonly string[]
  /** What the configuration says; a policy file of the operator or the administrator overrules it. */
  settings?: Partial<Settings>
  /** What agents may start and close, from the configuration. */
  apps?: AppList
}

/** Reads everything a desktop is governed by. Throws BAD_POLICY, or BAD_CONFIG for the list of applications. */
export function openPolicy(options: PolicyOptions = {}): RulePolicy {
  const preset = [loadPreset(options.preset ?? 'supervised')]
  const of = (tier: 'user' | 'admin'): PolicyFile[] => [
    ...(options[tier] ?? []).flatMap((path) => loadPolicyFiles(path, tier)),
    ...(options.texts ?? []).filter((text) => text.tier === tier),
  ]
  const [user, admin] = [of('user'), of('admin')]
  const settings = { ...settle(preset), ...options.settings, ...settle(user), ...settle(admin) }
  return createPolicy({
    rules: [...preset, ...user, ...admin].flatMap((f) => f.rules),
    settings,
    apps: new AppLimit(options.apps),
    private: privateBy([...user, ...admin]),
    masks: [...user, ...admin].flatMap(({ mask = [] }) => mask),
    terms: [...user, ...admin].flatMap(({ words, classes }) => ((words ?? classes) === undefined ? [] : [{ words, classes }])),
  })
}

/** What all files together count as private: kinds that one of them names, and every operator's own. */
function privateBy(files: readonly PolicyFile[]): PrivateSpec | undefined {
  const said = files.flatMap((f) => f.private ?? [])
  if (said.length === 0) return undefined
  const kinds = said.flatMap((s) => (s.kinds === undefined ? [] : [s.kinds]))
  return {
    ...(kinds.length > 0 && { kinds: [...new Set(kinds.flat())] }),
    own: Object.assign({}, ...said.map((s) => s.own ?? {})) as Record<string, string>,
  }
}

/** What the files of one tier say together: the strictest, so that their order does not matter. */
function settle(files: readonly PolicyFile[]): Partial<Settings> {
  const found: Partial<Settings> = {}
  const enabled = files.flatMap((f) => (f.automation ? [f.automation.enabled] : []))
  if (enabled.length > 0) found.automation = { enabled: enabled.every((e) => e) }
  const said = files.map((f) => f.nonInteractive)
  const strictest = (['fail', 'deny', 'allow'] as const).find((v) => said.includes(v))
  if (strictest) found.nonInteractive = strictest
  return found
}
