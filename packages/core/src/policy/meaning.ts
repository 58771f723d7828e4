import {
  argument,
  characterOf,
  closesWindow,
  contains,
  copiesText,
  deliveryOf,
  isCommand,
  isValueControl,
  pastesText,
  PRESSED,
  strokesOfChords,
  strokesOfEvents,
  strokesWith,
  TEXT_CONTROLS,
  WINDOWS,
  type ActionKind,
  type Stroke,
  type TargetFacts,
} from '../model/index.ts'
import type { Subject } from './policy.ts'

/** A named action that a raw one comes down to. */
export interface Meaning {
  kind: ActionKind
  args: Readonly<Record<string, unknown>>
  /** How often it does that. */
  times: number
  /** What it does that to, where that is not all that the call touches. */
  targets?: readonly TargetFacts[]
  /** It enters a text that nothing tells. */
  entersUnknown?: boolean
}

/**
 * What else a call is: a press on a point is a click, keys that give text are typing, Enter on a button presses it, a wheel or an arrow key on
 * a slider enters a value. Rules about these hold for it as well, and for everything else that its events reach. Shortcuts stay keys, but for
 * those that paste, cut or close the window.
 */
export function meanings(subject: Subject): readonly Meaning[] {
  const reached = subject.targets.filter((t) => t.reached !== undefined)
  if (reached.length === 0) return ownMeanings(subject)
  const own = { ...subject, targets: subject.targets.filter((t) => t.reached === undefined) }
  // The value of a compound control is its part's as well: the field in a spin button may be what a rule names.
  const beyond = reached.map((target): Meaning => ({
    ...one(target.reached ?? 'click', { button: 'left', clickCount: 1 }),
    times: repeats(subject),
    targets: target.reached === 'type' ? [target, ...own.targets] : [target],
  }))
  return [...ownMeanings(own).map((m) => ({ targets: own.targets, ...m })), ...beyond]
}

/** The same call as another action; it is delivered as before. */
export const as = (subject: Subject, { kind, args, times, targets = subject.targets, entersUnknown = false }: Meaning): Subject => ({
  ...subject,
  ...(entersUnknown && { pasted: {} }),
  times,
  tool: `ui.${kind}`,
  kind,
  args: deliveryOf(subject.kind, subject.args, subject.route) === 'semantic' ? { ...args, delivery: 'semantic' } : args,
  targets,
})

/** A field that gets the focus by a click is clicked. */
function ownMeanings(subject: Subject): readonly Meaning[] {
  const { kind, route } = subject
  const clicks = route?.focus === 'pointer' || (kind === 'focus' && route?.by === 'pointer')
  return clicks ? [one('click', { button: 'left', clickCount: 1 }), ...byKind(subject)] : byKind(subject)
}

function byKind(subject: Subject): readonly Meaning[] {
  switch (subject.kind) {
    case 'click':
      return [...pasted(subject), ...entered(subject, (role) => role === 'slider')]
    case 'click_xy':
      return [
        { ...one('click', pick(subject.args, 'button', 'clickCount')), times: timesOf(subject) },
        ...pasted(subject),
        ...entered(subject, (role) => role === 'slider'),
        ...framed(subject),
      ]
    case 'pointer':
      return [...pointed(subject), ...framed(subject)]
    case 'drag':
      return [
        ...framed(subject),
        ...(endsWhereItBegan(subject.targets) ? [one('click', { button: 'left', clickCount: 1 })] : []),
        ...(drops(subject.targets) ? [{ ...one('type', {}), entersUnknown: true }] : entered(subject, isValueControl)),
      ]
    case 'type':
      return pressesTyped(subject.args) > 0 && subject.targets.some((t) => !takesText(t))
        ? [{ ...one('click', {}), times: pressesTyped(subject.args) }]
        : []
    case 'key':
    case 'keys':
      return keyed(subject)
    case 'scroll':
      return entered(subject, isValueControl)
    case 'capabilities':
    case 'snapshot':
    case 'query':
    case 'describe':
    case 'capture':
    case 'wait':
    case 'assert':
    case 'apps':
    case 'screens':
    case 'clipboard_read':
    case 'clipboard_write':
    case 'plan':
    case 'hover':
    case 'focus':
    case 'window':
    case 'launch':
    case 'close':
    case 'simulate':
    case 'ask':
    case 'code':
      return []
    default:
      return subject.kind satisfies never
  }
}

/** Whether what is typed stays in it as text; a window counts, as it may pass the text on to a field. */
export const takesText = ({ role, states }: TargetFacts): boolean =>
  states?.editable === true || TEXT_CONTROLS.has(role) || WINDOWS.has(role)

/** A change of a value is what typing it would be. */
const entered = ({ targets }: Subject, changes: (role: string) => boolean): Meaning[] =>
  targets.some((t) => changes(t.role)) ? [one('type', {})] : []

/** With a button down that an earlier call pressed, moves and letting go are the rest of a drag from there. */
function pointed({ args, targets: touched, held: before }: Subject): Meaning[] {
  const presses = new Map<unknown, number>()
  const loose = new Set<unknown>()
  const targets = before?.from === undefined ? touched : [before.from, ...touched]
  let [wheel, moved, dragged, held, run, at] = [false, false, false, before?.from !== undefined, 0, '']
  for (const event of eventsOf(args)) {
    const { type, button, x, y } = event
    if (type === 'move') {
      const isElsewhere = at !== (at = `${String(x)},${String(y)}`)
      moved = true
      if (isElsewhere) run = 0
      dragged ||= held && isElsewhere
    } else if (type === 'wheel') wheel = true
    else if (type === 'up') {
      if (!presses.has(button)) loose.add(button)
      held = false
    } else if (type === 'down') {
      held = true
      // Up to three presses on one spot are one click.
      if (run++ % MOST_CLICKS === 0) presses.set(button, (presses.get(button) ?? 0) + 1)
    }
  }
  const found: Meaning[] = [...presses].flatMap(([button, times]) => [
    { kind: 'click', args: { button }, times },
    { kind: 'click_xy', args: { button }, times },
  ])
  // The other half of a press that is counted already; what it is let go on may act on that.
  for (const button of loose) found.push({ kind: 'click', args: { button }, times: 0 })
  if (presses.has('middle') && targets.some(takesText)) found.push(one('type', {}))
  if (dragged) found.push({ ...one('drag', {}), targets })
  if (wheel) found.push(one('scroll', {}))
  const isLet = dragged || (before?.from !== undefined && loose.size > 0)
  const dropped = isLet && drops(targets)
  if (dropped || ((wheel || dragged) && targets.some((t) => isValueControl(t.role))))
    found.push({ ...one('type', {}), targets, entersUnknown: dropped })
  else if (presses.size > 0 && targets.some((t) => t.role === 'slider')) found.push(one('type', {}))
  if (found.length === 0 && moved) found.push(one('hover', {}))
  return found
}

function keyed(subject: Subject): Meaning[] {
  const { kind, targets } = subject
  const strokes = strokesOf(subject)
  const found: Meaning[] = kind === 'keys' ? [one('key', { keys: strokes.map((s) => [...s.held, s.key].join('+')) })] : []
  const text = strokes.reduce((all, s) => all + characterOf(s), '')
  const texts = targets.length === 0 || targets.some(takesText)
  if (/[^ \n]/.test(text) || (texts && (text !== '' || strokes.some(edits))))
    found.push({ ...one('type', { text }), entersUnknown: isRewritten(subject) })
  else if (strokes.some(stepsValue) && targets.some((t) => isValueControl(t.role))) found.push(one('type', {}))
  if (closesByKeys(subject)) found.push(one('window', { op: 'close' }))
  const times = presses(strokes, targets)
  if (times > 0) found.push({ ...one('click', { button: 'left', clickCount: 1 }), times })
  return found
}

/** Whether what its keys leave is another text than their characters in order: some take characters away, go elsewhere between them, or paste beside them. */
export function isRewritten(subject: Subject): boolean {
  if (subject.kind !== 'key' && subject.kind !== 'keys') return false
  const strokes = strokesOf(subject)
  const enters = (stroke: Stroke): boolean => pastesText(stroke) || isText(stroke)
  const [first, last] = [strokes.findIndex(enters), strokes.findLastIndex(enters)]
  const isPasteBeside = first !== last && strokes.some(pastesText)
  const goesElsewhere = (stroke: Stroke): boolean => stepsValue(stroke) || (isCommand(stroke) && !copiesText(stroke))
  return isPasteBeside || (first !== -1 && strokes.some((s, i) => i > first && !isText(s) && (edits(s) || (i < last && goesElsewhere(s)))))
}

const isText = (stroke: Stroke): boolean => /[^\n]/.test(characterOf(stroke))

/** How often Enter or the space bar come on something that keeps neither as text, or behind a key that took the focus elsewhere. */
function presses(strokes: readonly Stroke[], targets: readonly TargetFacts[]): number {
  const fields = targets.length > 0 && targets.every((t) => takesText(t) && !WINDOWS.has(t.role))
  const windows = targets.length === 0 || targets.some((t) => WINDOWS.has(t.role))
  const buttons = targets.some((t) => !takesText(t))
  let moved = false
  return strokes.filter((stroke) => {
    moved ||= stroke.key === 'Tab' || stroke.key.startsWith('Arrow')
    if (isCommand(stroke)) return false
    if (stroke.key === 'Enter') return buttons || windows || (fields && moved)
    return stroke.key === ' ' && (buttons || moved)
  }).length
}

/** A press on the frame that a window manager draws around a window: nothing tells whether there is its button for closing, or what moves it. */
export const pressesFrame = ({ kind, args, targets }: Subject): boolean =>
  (kind === 'click_xy' || kind === 'drag' || (kind === 'pointer' && eventsOf(args).some((e) => e['type'] === 'down'))) &&
  targets.some(({ role, at, bounds }) => WINDOWS.has(role) && at !== undefined && bounds !== undefined && !contains(bounds, at))

const framed = (subject: Subject): Meaning[] => (pressesFrame(subject) ? [one('window', { op: 'close' })] : [])

/** How often a call presses what it names: each of two clicks on a button is a press, on anything else they are one double click. */
export function timesOf({ kind, args, targets }: Subject): number {
  const { clickCount } = pick(args, 'clickCount')
  const isEach = (kind === 'click' || kind === 'click_xy') && targets.some((t) => PRESSED.has(t.role))
  return isEach && typeof clickCount === 'number' ? clickCount : 1
}

/** How often the same key comes in a call: so often what it reaches may be pressed. */
function repeats(subject: Subject): number {
  if (subject.kind === 'type') return Math.max(1, pressesTyped(subject.args))
  if (subject.kind !== 'key' && subject.kind !== 'keys') return 1
  const counts = new Map<string, number>()
  for (const { key } of strokesOf(subject)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return Math.max(1, ...counts.values())
}

const pressesTyped = (args: unknown): number => typedBy(args).match(/[ \r\n]/g)?.length ?? 0

/** Takes a slider, a spin button or a list of choices to another value. */
const stepsValue = ({ key }: Stroke): boolean => key.startsWith('Arrow') || key.startsWith('Page') || key === 'Home' || key === 'End'

/** Whether its keys close the window or end the program. */
export const closesByKeys = (subject: Subject): boolean =>
  (subject.kind === 'key' || subject.kind === 'keys') && strokesOf(subject).some(closesWindow)

function strokesOf({ kind, args, held }: Subject): Stroke[] {
  const strokes = kind === 'keys' ? strokesOfEvents(eventsOf(args)) : strokesOfChords([pick(args, 'keys')['keys']].flat())
  return held === undefined ? strokes : strokesWith(strokes, held.keys)
}

/** Changes text without giving any. Toolkits edit by chords of their own, so only those count as leaving a text alone that are known to. */
function edits(stroke: Stroke): boolean {
  const { key, held } = stroke
  if (held.includes('Control') || held.includes('Meta')) return !LEAVE_TEXT.test(key)
  return key === 'Delete' || key === 'Backspace' || pastesText(stroke) || UNDO_AND_CUT.test(key)
}

/** Keys that some keyboards have for these, which Qt knows. */
const UNDO_AND_CUT = /^F(?:14|20)$/

/** With Ctrl: select, copy, find, open, save, print, close, zoom, go elsewhere. */
const LEAVE_TEXT = /^(?:[acfglnopqrstw]|[-+=0-9]|Arrow\w+|Home|End|Page\w+|Tab|Insert|Escape|F\d+|[A-Z]\w+Lock)$/i

/** The middle button pastes what is selected elsewhere. */
function pasted({ args, targets }: Subject): Meaning[] {
  return argument(args, 'button') === 'middle' && targets.some(takesText) ? [one('type', {})] : []
}

/** Text that is let go on a field is entered there; within one field a drag selects. */
const drops = ([from, ...others]: readonly TargetFacts[]): boolean =>
  others.some((to) => to.key !== from?.key && takesText(to) && !WINDOWS.has(to.role))

/** Pressed and let go on one element, or on an entry of a menu, which acts when it is let go on. */
function endsWhereItBegan([from, to]: readonly TargetFacts[]): boolean {
  if (from === undefined || to === undefined) return true
  return from.key === undefined || from.key === to.key || to.role.startsWith('menu') || to.role === 'option'
}

const one = (kind: ActionKind, args: Meaning['args']): Meaning => ({ kind, args, times: 1 })

/** What is typed, with the key at its end. */
function typedBy(args: unknown): string {
  const { text, submit } = pick(args, 'text', 'submit')
  return (typeof text === 'string' ? text : '') + (submit === 'Enter' ? '\n' : '')
}

function eventsOf(args: unknown): Record<string, unknown>[] {
  const { events } = pick(args, 'events')
  return Array.isArray(events) ? events.map((e: unknown) => pick(e, 'type', 'key', 'button', 'x', 'y')) : []
}

function pick(value: unknown, ...keys: string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)))
}

const MOST_CLICKS = 3
