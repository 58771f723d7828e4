import { DeskhandError } from '@deskhand/core/errors'
import type { Step } from '@deskhand/core/driver'
import { appError } from '../atspi/app.ts'
import { ACCESSIBLE, ACTION, COMPONENT, SELECTION, TABLE, VALUE, offers } from '../atspi/names.ts'
import type { MirrorNode } from '../atspi/node.ts'
import { ROLE, roleOf } from '../atspi/roles.ts'
import { isAbove } from '../atspi/walk.ts'
import { hasState } from '../atspi/states.ts'
import { refreshNode } from '../check.ts'
import type { LinuxDesktop } from '../desktop.ts'
import type { Mouse } from './mouse.ts'
import { incapable, mustBeEnabled } from './refusals.ts'
import { happens, reveal } from './reveal.ts'
import { setText } from './set-text.ts'

export type SemanticStep = Extract<Step, { key: string }> & {
  do: 'press' | 'focus' | 'expand' | 'collapse' | 'select' | 'reveal' | 'setText' | 'setValue'
}

type Click = Mouse['click']

/** How long a value may take to arrive. */
const VALUE_MS = 300
/** How long the focus may take to arrive. */
const FOCUS_MS = 600

/** What an element is asked to do by itself; where its toolkit offers no way, it is clicked. Says which way was taken. */
export async function semanticStep(desk: LinuxDesktop, step: SemanticStep, mouse: Mouse): Promise<string> {
  const node = step.do === 'focus' ? desk.nodeAround(step.key) : desk.mirror.node(step.key)
  if (node === undefined) return onUnread(desk, step)
  try {
    if (!(await refreshNode(node))) throw new DeskhandError('STALE_REF', 'the element is gone')
    return await run(desk, node, step, mouse)
  } catch (error) {
    throw appError(error, node.app)
  }
}

/** In the order of preference; an action is never chosen by its place. */
const PRESS = ['click', 'press', 'activate', 'toggle', 'showmenu', 'jump', 'invoke', 'open', 'dodefault', 'do default', 'clickancestor']
const EXPAND = ['expand', 'expand or contract', 'toggle', 'showmenu', 'press', 'click', 'activate']
const COLLAPSE = ['collapse', 'expand or contract', 'toggle', 'press', 'click', 'activate']

async function run(desk: LinuxDesktop, node: MirrorNode, step: SemanticStep, mouse: Mouse): Promise<string> {
  const click: Click = (n) =>
    'delivery' in step && step.delivery !== undefined ? Promise.reject(incapable(n, 'offers no way but the pointer')) : mouse.click(n)
  switch (step.do) {
    case 'press':
      if (opensMenu(node)) await activate(desk, node)
      if (step.action !== undefined) return press(node, [step.action])
      if (node.optionOf !== undefined) return pick(node, node.optionOf)
      // Qt's only action unfolds an entry of a tree; a click on it selects it.
      if (isCell(node) && node.app.toolkit.remakesRows) return click(node).catch(() => select(node, click))
      return (await clickEntry(node, click)) ?? press(node, isCell(node) ? PRESS.filter((name) => name !== 'activate') : PRESS, click)
    case 'expand':
    case 'collapse':
      if (opensMenu(node)) await activate(desk, node)
      return expand(node, step.do === 'expand', step.action, click)
    case 'focus':
      return focus(desk, node, click)
    case 'select':
      return node.optionOf === undefined ? select(node, click) : pick(node, node.optionOf)
    case 'reveal':
      return reveal(desk, node, mouse)
    case 'setText':
      return setText(node, step.text, step.mode)
    case 'setValue':
      return setValue(node, step.value)
    default:
      return step satisfies never
  }
}

/** An entry of an open menu is clicked where it can be: GTK 3 leaves the menu open when the entry acts by itself, and with it all input. */
async function clickEntry(node: MirrorNode, click: Click): Promise<string | undefined> {
  if (!roleOf(node.role).startsWith('menuitem') || !node.isShown || node.bounds === undefined) return undefined
  mustBeEnabled(node)
  return click(node).catch((error: unknown) => {
    if (error instanceof DeskhandError && (error.code === 'NOT_CAPABLE' || error.code === 'NOT_ACTIONABLE')) return undefined
    throw error
  })
}

/** What a double click does to a cell of a table, it calls activate. */
const isCell = (node: MirrorNode): boolean => node.parent !== undefined && offers(node.parent.interfaces, TABLE)

async function press(node: MirrorNode, names: readonly string[], otherwise?: Click): Promise<string> {
  mustBeEnabled(node)
  const { app, path } = node
  const [actions] = offers(node.interfaces, ACTION) ? await app.call(path, ACTION, 'GetActions', '', [], 'a(sss)') : [[]]
  // The list is in the user's language; the single names are not.
  const plain = await Promise.all(
    actions.map((_, i) =>
      app.call(path, ACTION, 'GetName', 'i', [i], 's').then(
        ([n]) => n,
        () => '',
      ),
    ),
  )
  const at = choose(
    actions.map(([shown], i) => [shown.toLowerCase(), plain[i]?.toLowerCase() ?? '']),
    names,
  )
  if (at === undefined && otherwise !== undefined) return otherwise(node)
  if (at === undefined) throw incapable(node, `offers ${actions.map(([n]) => n).join(', ') || 'no action'}, but not ${names.join(' or ')}`)
  const answer = await app.act(path, ACTION, 'DoAction', 'i', [at], 'b')
  if (answer?.[0] === false) throw new DeskhandError('NOT_ACTIONABLE', `the element refused to ${plain[at] || 'act'}`)
  return `action:${plain[at] || actions[at]?.[0] || 'default'}`
}

/** Chromium leaves its only action unnamed; of several unnamed ones none is chosen. */
function choose(actions: readonly string[][], names: readonly string[]): number | undefined {
  for (const name of names) {
    const at = actions.findIndex((known) => known.includes(name.toLowerCase()))
    if (at >= 0) return at
  }
  return actions.length === 1 && actions[0]?.every((n) => n === '') === true ? 0 : undefined
}

async function expand(node: MirrorNode, open: boolean, action: string | undefined, click: Click): Promise<string> {
  if (hasState(node, 'expanded') === open && (open || hasState(node, 'expandable'))) return 'already'
  return action === undefined ? press(node, open ? EXPAND : COLLAPSE, click) : press(node, [action])
}

async function focus(desk: LinuxDesktop, node: MirrorNode, click: Click): Promise<string> {
  if (hasState(node, 'focused') && (await isActive(desk, node))) return 'already'
  await activate(desk, node)
  const done =
    offers(node.interfaces, COMPONENT) &&
    (await node.app.act(node.path, COMPONENT, 'GrabFocus', '', [], 'b').then(
      (answer) => answer?.[0] !== false,
      () => false,
    ))
  if (done) {
    // A window that was not active, or a page that runs beside its browser, takes a while to follow.
    if (hasState(node, 'focusable')) await happens(() => hasFocus(desk, node), FOCUS_MS)
    return 'GrabFocus'
  }
  // A click on a text only sets its caret; on anything else it would do more than was asked for.
  if (hasState(node, 'editable')) return click(node)
  throw incapable(node, 'does not take the focus by itself')
}

/** An open menu takes the keyboard, wherever its window is: keys are judged by the active window, so that has to be its own. */
const opensMenu = ({ role }: MirrorNode): boolean => roleOf(role).startsWith('menu')

async function activate(desk: LinuxDesktop, node: MirrorNode): Promise<void> {
  const window = desk.windowOf(node.key)
  if (window === undefined || (await isActive(desk, node))) return
  await desk.windows?.operate(window.id, 'activate', {})
  // One that comes up over an open menu would close it.
  await happens(() => isActive(desk, node), FOCUS_MS)
}

async function hasFocus(desk: LinuxDesktop, node: MirrorNode): Promise<boolean> {
  const { focus: now } = desk.mirror
  if (now !== undefined && now !== node && isAbove(node, now)) return true
  const [words] = await node.app.call(node.path, ACCESSIBLE, 'GetState', '', [], 'au')
  return hasState({ low: words[0] ?? 0, high: words[1] ?? 0 }, 'focused')
}

async function isActive(desk: LinuxDesktop, node: MirrorNode): Promise<boolean> {
  return desk.windows === undefined || (await desk.windows.active()) === desk.windowOf(node.key)?.id
}

/** Through the container of the element: a list, a tab list, a table, or the combobox around a menu. */
async function select(node: MirrorNode, click: Click): Promise<string> {
  mustBeEnabled(node)
  const { app, parent } = node
  if (parent === undefined) throw incapable(node, 'is in nothing that could select it')
  if (isInPopover(node)) throw new DeskhandError('NOT_ACTIONABLE', 'the list would only mark it, not choose it', { next: CHOOSE_BY_KEYS })
  const [index] = await app.call(node.path, ACCESSIBLE, 'GetIndexInParent', '', [], 'i')
  const combobox = [parent, parent.parent].find((n) => n?.role === ROLE.COMBO_BOX && offers(n.interfaces, SELECTION))
  const holder = combobox ?? (offers(parent.interfaces, SELECTION) ? parent : undefined)
  if (holder !== undefined && !offers(parent.interfaces, TABLE)) {
    const answer = await app.act(holder.path, SELECTION, 'SelectChild', 'i', [index], 'b')
    if (answer?.[0] !== false) return 'Selection'
  }
  if (offers(parent.interfaces, TABLE)) {
    const [row] = await app.call(parent.path, TABLE, 'GetRowAtIndex', 'i', [index], 'i')
    const answer = await app.act(parent.path, TABLE, 'AddRowSelection', 'i', [row], 'b')
    if (answer?.[0] !== false) return 'Table'
  }
  return press(node, [...PRESS, 'select'], click)
}

/** GTK 4's drop-down lists choose what is clicked, or Enter is pressed on. */
function isInPopover(node: MirrorNode): boolean {
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n.isPopover) return true
  return false
}

const CHOOSE_BY_KEYS = 'Go to it with ArrowDown or ArrowUp and press Enter, or bring the control to this value with ui.set.'

/** An entry of a list that does not tell where it is; the list is closed afterwards, as if it had been clicked. */
async function pick(option: MirrorNode, box: MirrorNode): Promise<string> {
  const via = await press(option, ['select'])
  if ((await refreshNode(box)) && hasState(box, 'expanded')) await press(box, PRESS)
  return via
}

async function setValue(node: MirrorNode, value: number): Promise<string> {
  mustBeEnabled(node)
  if (!offers(node.interfaces, VALUE)) throw incapable(node, 'has no value of its own')
  const { app, path } = node
  await app.act(path, 'org.freedesktop.DBus.Properties', 'Set', 'ssv', [VALUE, 'CurrentValue', { type: 'd', value }], '')
  const isTaken = async (): Promise<boolean> => {
    node.number = await app.get(path, VALUE, 'CurrentValue', 'd')
    return Math.abs(node.number - value) <= 1e-6
  }
  // A page takes it in a moment later.
  if (!(await happens(isTaken, VALUE_MS))) throw new DeskhandError('NOT_ACTIONABLE', `the element took ${node.number}, not ${value}`)
  return 'Value'
}

async function onUnread(desk: LinuxDesktop, step: SemanticStep): Promise<string> {
  const area = desk.unreadArea(step.key)
  if (area !== undefined)
    throw new DeskhandError('NOT_CAPABLE', `${area.host.app.identity.name} does not tell what it draws there, so it can only be clicked`)
  const bare = desk.bareWindow(step.key)
  if (bare === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  if (step.do !== 'focus')
    throw new DeskhandError('NOT_CAPABLE', `${bare.app.name} offers no accessibility tree, so only its window can be operated`)
  await desk.windows?.operate(bare.window.id, 'activate', {})
  return 'window manager'
}
