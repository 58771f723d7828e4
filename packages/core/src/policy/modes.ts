import { argument, TRAITS, type ActionKind, type InputGrant } from '../model/index.ts'
import { glob } from './glob.ts'
import { appNames, baseName } from './identity.ts'
import type { Setting, Subject } from './policy.ts'

/**
 * Why the mode does not let this call act; undefined when it does. Modes guard the person's own desktop: on a simulated one nothing is
 * real, and bringing up a sandbox was the operator's grant for it.
 */
export function modeRefusal(subject: Subject, setting: Setting): string | undefined {
  if (setting.desktop !== 'host' || TRAITS[subject.kind].mode === 'free') return undefined
  switch (setting.mode) {
    case 'allow_actual_input_full':
      return undefined
    case 'simulation_only':
      return 'The mode is simulation_only: nothing acts on this desktop.'
    case 'allow_actual_input_restricted':
      return restricted(subject, setting)
    default:
      return setting.mode satisfies never
  }
}

function restricted(subject: Subject, setting: Setting): string | undefined {
  const live = (setting.inputGrants ?? []).filter((g) => g.until > setting.now && serves(g, subject.kind))
  const apps = touched(subject, setting)
  const covered = apps.length > 0 && apps.every((names) => names.some((name) => live.some((g) => g.apps.some((a) => matches(a, name)))))
  return covered ? undefined : 'The mode is allow_actual_input_restricted, and no running grant covers this input to this application.'
}

/** The executables' names, one list per thing touched; what has none cannot be covered. */
function touched(subject: Subject, setting: Setting): (readonly string[])[] {
  const { kind, args } = subject
  if (kind !== 'launch') return subject.targets.map((t) => appNames(t.app, setting.desktop).sure)
  const app = argument(args, 'app')
  return typeof app === 'string' ? [[baseName(app)]] : []
}

/** A grant whose glob is broken covers nothing. */
function matches(pattern: string, name: string): boolean {
  try {
    return glob(pattern.toLowerCase())(name)
  } catch {
    return false
  }
}

function serves(grant: InputGrant, kind: ActionKind): boolean {
  const { device } = TRAITS[kind]
  return device !== 'none' && (grant.input === 'any' || device === 'either' || device === grant.input)
}
