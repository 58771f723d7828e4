import type { ExprNode, StmtNode } from 'py-ast'
import { refusal, type Profile } from '../profile.ts'
import type { ModuleName } from '../program.ts'
import { badName, closest } from './names.ts'
import type { Source } from './source.ts'

/** What a check needs to know about the script around it. */
export interface Checking {
  source: Source
  profile: Profile
  modules: ReadonlyMap<string, ModuleName>
  /** The names each module offers. */
  offers: (module: ModuleName) => ReadonlySet<string>
  settable: (module: ModuleName) => ReadonlySet<string>
  numbers: Map<object, bigint | number>
  nodes: number
}

const MAX_NODES = 20_000

/** Called for every node: its kind must be allowed. */
export function count(c: Checking, node: StmtNode | ExprNode): void {
  if (++c.nodes > MAX_NODES) throw c.source.reject(node, 'the script is too large; split it')
  if (!c.profile.kinds.has(node.nodeType)) throw c.source.reject(node, refusal(node.nodeType))
}

/** Refuses a name that the module does not offer, and suggests the closest one. */
export function checkMember(c: Checking, node: ExprNode | StmtNode, module: ModuleName, name: string): void {
  const offers = c.offers(module)
  if (!offers.has(name)) throw c.source.reject(node, `${module}.${name} is not available${hint(module, name, offers)}`)
}

const HINTS: Record<string, string> = {
  'pyautogui.type': 'use pyautogui.write()',
  'pyautogui.run': 'write the calls out',
  'pyautogui.mouseInfo': 'use pyautogui.position()',
  'pyautogui.displayMousePosition': 'use pyautogui.position()',
  'pyautogui.getActiveWindow': 'windows are reached through the ui tools',
  'pyautogui.getWindowsWithTitle': 'windows are reached through the ui tools',
  'pyautogui.getAllWindows': 'windows are reached through the ui tools',
  'pyautogui.wait': 'use time.sleep()',
}

function hint(module: string, name: string, offers: Iterable<string>): string {
  const known = HINTS[`${module}.${name}`]
  return known === undefined ? closest(name, offers) : `; ${known}`
}

export function checkName(c: Checking, node: object, name: string): void {
  const bad = badName(name, 'write')
  if (bad !== undefined) throw c.source.reject(node, bad)
}
