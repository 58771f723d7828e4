import { setTimeout as sleep } from 'node:timers/promises'
import { TRAITS, WINDOWS, walk, type Action, type DesktopKind, type Effect, type Principal, type UiNode } from '../../model/index.ts'
import { clip } from '../../selector/index.ts'
import { destroys } from '../../policy/index.ts'
import type { LiveTree } from '../see/live-tree.ts'
import type { See } from '../see/see.ts'
import type { Snapshots } from '../see/snapshots.ts'

/** How long a dialog may take to show after the press that opens it, and how long nothing may have changed for it to count as over. */
const OPENS_MS = 300
const QUIET_MS = 40
const TEXT_BUDGET = 250

interface OpenedNeeds {
  tree: LiveTree
  see: See
  snapshots: Snapshots
  desktop: DesktopKind
}

/** What an action opened, for the answer that tells of it. */
export interface Opened {
  data: { elementId: string; role: string; name?: string; modal?: boolean; unread?: boolean; defaultButton?: string }[]
  text: string
}

/** The keys of every window, dialog and popup that shows. */
export const openPlaces = (tree: LiveTree): ReadonlySet<string> => new Set([...shownPlaces(tree)].map((n) => n.key))

/** What is open now and was not before; undefined when nothing is. */
export async function openedBy(
  on: OpenedNeeds,
  action: Action,
  who: Principal,
  { before, effect, signal }: { before: ReadonlySet<string>; effect: Effect; signal: AbortSignal },
): Promise<Opened | undefined> {
  const { presses, sends } = TRAITS[action.do]
  if (!sends || action.do === 'launch') return undefined
  // What a real press opens comes a little after what the press itself shows. One that is confirmed has shown what it does.
  if (on.desktop !== 'virtual' && effect === 'changed' && (presses || action.do === 'key')) await untilQuiet(on.tree, signal)
  const news = [...shownPlaces(on.tree)].filter((n) => !before.has(n.key))
  const seen = news.map((n) => on.see(who).see(n.key)).filter((n) => n !== undefined)
  const outer = seen.filter((n) => (n.parent === undefined || isDialog(n)) && !seen.some((o) => o !== n && isInside(n, o)))
  return outer.length === 0 ? undefined : { data: outer.map((n) => describe(n, on.snapshots, who)), text: say(outer, on.snapshots, who) }
}

async function untilQuiet(tree: LiveTree, signal: AbortSignal): Promise<void> {
  const end = Date.now() + OPENS_MS
  let seen = -1
  while (Date.now() < end && seen !== tree.generation && !signal.aborted) {
    seen = tree.generation
    await sleep(QUIET_MS)
    await tree.sync()
  }
}

function* shownPlaces(tree: LiveTree): Generator<UiNode> {
  for (const n of tree.places) if (WINDOWS.has(n.role) && n.states?.visible !== false && n.attributes?.['minimized'] !== true) yield n
}

function describe(node: UiNode, snapshots: Snapshots, who: Principal): Opened['data'][number] {
  const { id, role, name } = snapshots.element(node, 1, who)
  const preset = defaultButton(node)
  return {
    elementId: id,
    role,
    ...(name !== undefined && { name }),
    ...(node.states?.modal && { modal: true }),
    ...(node.attributes?.['unread'] !== undefined && { unread: true }),
    ...(preset?.name !== undefined && { defaultButton: preset.name }),
  }
}

/** Bars and notices inside a window come and go with what is behind a dialog. */
const isDialog = (node: UiNode): boolean => node.role === 'dialog' || node.states?.modal === true

function say(nodes: readonly UiNode[], snapshots: Snapshots, who: Principal): string {
  const parts = nodes.map((node) => {
    const preset = defaultButton(node)
    const words = [preset?.name, node.name, ...textsOf(node)].find((text) => text !== undefined && destroys(text))
    const answers = words === undefined || words === preset?.name ? '' : ` and so answer ${clip(words)}`
    const warning = preset?.name === undefined || words === undefined ? '' : `\nEnter would press ${clip(preset.name)}${answers}`
    return `${snapshots.outlineOf(node, who, TEXT_BUDGET)}${warning}`
  })
  return `it opened:\n${parts.join('\n')}`
}

function* textsOf(node: UiNode): Generator<string> {
  for (const n of walk([node])) if (n.role === 'label' || n.role === 'heading' || n.role === 'paragraph') yield n.name ?? n.value ?? ''
}

/** The button that Enter presses: the one that says so, or the one that has the focus. */
function defaultButton(node: UiNode): UiNode | undefined {
  const buttons = [...walk([node])].filter((n) => n.role === 'button' && n.states?.visible !== false)
  return buttons.find((b) => b.states?.focused) ?? buttons.find((b) => b.states?.default)
}

function isInside(node: UiNode, outer: UiNode): boolean {
  for (let n = node.parent; n !== undefined; n = n.parent) if (n.key === outer.key) return true
  return false
}
