import { READS, type ActionKind } from '../model/index.ts'
import { glob } from './glob.ts'
import { appNames } from './identity.ts'
import type { InputGrant, Setting, Subject } from './policy.ts'

/**
 * Why the mode does not let this call act; undefined when it does. Modes guard the person's own desktop: on a simulated one nothing is
 * real, and bringing up a sandbox was the operator's grant for it.
 */
export function modeRefusal(subject: Subject, setting: Setting): string | undefined {
  // code acts only through further calls, and each of them is asked about; a question touches nothing
  if (setting.desktop !== 'host' || READS.has(subject.kind) || subject.kind === 'code' || subject.kind === 'ask') return undefined
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
  const app =
    typeof args === 'object' && args !== null && 'app' in args && typeof args.app === 'string' ? args.app.toLowerCase() : undefined
  return app === undefined ? [] : [[app.split('/').at(-1) ?? app]]
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
  return grant.input === 'any' || (DEVICE[kind] ?? grant.input) === grant.input
}

/** The device a kind of action stands for; the others go with either. */
const DEVICE: Partial<Record<ActionKind, 'keyboard' | 'mouse'>> = {
  click: 'mouse',
  click_xy: 'mouse',
  pointer: 'mouse',
  drag: 'mouse',
  hover: 'mouse',
  scroll: 'mouse',
  type: 'keyboard',
  key: 'keyboard',
  keys: 'keyboard',
  clipboard_write: 'keyboard',
}
