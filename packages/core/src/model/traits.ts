import type { ActionKind, ActionOf } from './action.ts'

/** What a kind of action weighs by itself, as a factor of risk. */
export type KindFactor =
  | 'action.focus'
  | 'action.window'
  | 'action.type'
  | 'action.click'
  | 'action.capture'
  | 'action.close'
  | 'action.clipboard'
  | 'action.launch'
  | 'action.code'
  | 'action.coordinates'

type Field<K extends ActionKind> = Exclude<keyof ActionOf<K>, 'do'> & string

/** Everything that policy and session have to know about a kind of action. No field is optional: a new kind states all of them. */
export interface Traits<K extends ActionKind> {
  /** Only looks: it is decided and recorded, but sends no input. */
  readonly reads: boolean
  /** Sends input to the desktop itself; code does so only through calls of its own. */
  readonly sends: boolean
  /** Whether the operator's modes hold it back on a person's own desktop. */
  readonly mode: 'guarded' | 'free'
  /** The device that a restricted grant must cover; no grant covers `none`. */
  readonly device: 'mouse' | 'keyboard' | 'either' | 'none'
  readonly risk: KindFactor | 'none'
  /** It can press what it touches, so words such as "Delete" on the target count. */
  readonly presses: boolean
  /** How it finds what it touches: a named element, one that may be named, the named or focused one, a pixel, the named or active window, the windows of an application. */
  readonly targets: 'none' | 'named' | 'optional' | 'focus' | 'point' | 'window' | 'app'
  /** The arguments that name elements. */
  readonly names: readonly Field<K>[]
  /** The tree must be up to date before it is carried out. */
  readonly looksAtTree: boolean
  /** Its target must be enabled and visible. */
  readonly operable: boolean
  /** What it can change beside its target when nothing better is known. */
  readonly reach: 'nothing' | 'focus' | 'app' | 'anywhere'
  /** The decision on it depends on its arguments alone. */
  readonly foreseen: boolean
  /** Where a rule demands verification, no seen change is a failure. */
  readonly provesEffect: boolean
  /** It can change what stands in a window, which voids approvals that are bound to it. */
  readonly changesContents: boolean
  /** Its data holds text from the screen, which taints what is entered later. */
  readonly showsScreen: boolean
  /** It reads elements without naming them, so a rule that denies it for an application, window or page hides that. */
  readonly hides: boolean
  /** The arguments that hold what it enters: text, chords (`keys`) or key events (`events`). */
  readonly text: readonly Field<K>[]
  /** The arguments that become commitments in the record when redaction is asked for. */
  readonly commits: readonly Field<K>[]
}

// oxfmt-ignore
export const TRAITS: { readonly [K in ActionKind]: Traits<K> } = {
  capabilities: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'nothing', foreseen: true, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  snapshot: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'optional', names: ['root'], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: true, hides: true, text: [], commits: [],
  },
  query: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: true, hides: true, text: [], commits: [],
  },
  describe: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'named', names: ['element'], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: true, hides: true, text: [], commits: [],
  },
  capture: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'action.capture', presses: false,
    targets: 'optional', names: ['target'], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  wait: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: true, text: [], commits: [],
  },
  assert: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: true, text: [], commits: [],
  },
  apps: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: true, hides: true, text: [], commits: [],
  },
  screens: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'nothing', foreseen: true, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  clipboard_read: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'action.clipboard', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: true, hides: false, text: [], commits: [],
  },
  plan: {
    reads: true, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'nothing', foreseen: true, provesEffect: false,
    changesContents: false, showsScreen: true, hides: false, text: [], commits: ['actions'],
  },

  click: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.click', presses: true,
    targets: 'named', names: ['target'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  click_xy: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.coordinates', presses: true,
    targets: 'point', names: [], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  pointer: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.coordinates', presses: true,
    targets: 'point', names: [], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  drag: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.click', presses: true,
    targets: 'point', names: ['from', 'to'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  hover: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.focus', presses: false,
    targets: 'named', names: ['target'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  scroll: {
    reads: false, sends: true, mode: 'guarded', device: 'mouse', risk: 'action.focus', presses: false,
    targets: 'focus', names: ['target'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: false,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  focus: {
    reads: false, sends: true, mode: 'guarded', device: 'either', risk: 'action.focus', presses: false,
    targets: 'named', names: ['target'], looksAtTree: true, operable: true, reach: 'focus', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  type: {
    reads: false, sends: true, mode: 'guarded', device: 'keyboard', risk: 'action.type', presses: false,
    targets: 'focus', names: ['target'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: ['text'], commits: ['text', 'verify'],
  },
  key: {
    reads: false, sends: true, mode: 'guarded', device: 'keyboard', risk: 'action.type', presses: false,
    targets: 'focus', names: ['target'], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: false,
    changesContents: true, showsScreen: false, hides: false, text: ['keys'], commits: ['keys', 'verify'],
  },
  keys: {
    reads: false, sends: true, mode: 'guarded', device: 'keyboard', risk: 'action.type', presses: false,
    targets: 'focus', names: [], looksAtTree: true, operable: true, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: ['events'], commits: ['events'],
  },
  clipboard_write: {
    reads: false, sends: true, mode: 'guarded', device: 'keyboard', risk: 'action.type', presses: false,
    targets: 'focus', names: [], looksAtTree: true, operable: true, reach: 'nothing', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: ['text'], commits: ['text'],
  },
  window: {
    reads: false, sends: true, mode: 'guarded', device: 'either', risk: 'action.window', presses: false,
    targets: 'window', names: ['target'], looksAtTree: true, operable: false, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  launch: {
    reads: false, sends: true, mode: 'guarded', device: 'either', risk: 'action.launch', presses: false,
    targets: 'none', names: [], looksAtTree: true, operable: false, reach: 'anywhere', foreseen: true, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: ['app', 'args'], commits: ['args'],
  },
  close: {
    reads: false, sends: true, mode: 'guarded', device: 'either', risk: 'action.close', presses: false,
    targets: 'app', names: [], looksAtTree: true, operable: false, reach: 'app', foreseen: false, provesEffect: true,
    changesContents: true, showsScreen: false, hides: false, text: [], commits: [],
  },
  simulate: {
    reads: false, sends: false, mode: 'guarded', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'anywhere', foreseen: false, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  // Touches nothing itself: it waits for a person's answer.
  ask: {
    reads: false, sends: false, mode: 'free', device: 'none', risk: 'none', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'nothing', foreseen: true, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: [], commits: [],
  },
  // Acts only through further calls, each of which is decided by itself.
  code: {
    reads: false, sends: false, mode: 'free', device: 'none', risk: 'action.code', presses: false,
    targets: 'none', names: [], looksAtTree: false, operable: false, reach: 'anywhere', foreseen: true, provesEffect: false,
    changesContents: false, showsScreen: false, hides: false, text: ['code', 'args'], commits: ['code', 'args'],
  },
}
