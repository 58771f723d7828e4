import { INTERACTIVE, type UiNode } from '../../model/index.ts'
import { isOffScreen } from './out-of-view.ts'

/** Who says that it has the focus. Toolkits leave the claims of pages that are hidden by now, and let whole groups claim it. */
export class FocusClaims {
  /** The latest last. */
  readonly #claims = new Set<UiNode>()
  /** What the driver itself says has the focus. */
  #told?: string

  tell(key: string | undefined): void {
    this.#told = key
  }

  /** Takes in what a node says now. */
  hear(node: UiNode): void {
    if (node.states?.focused !== true) return this.drop(node)
    if (this.#claims.has(node)) return
    this.#claims.add(node)
    this.#told = undefined
  }

  drop(node: UiNode): void {
    this.#claims.delete(node)
    if (this.#told === node.key) this.#told = undefined
  }

  clear(): void {
    this.#claims.clear()
    this.#told = undefined
  }

  /**
   * What gets the next key: never a hidden one, nor one of another application or window than the active one, popups aside; the active window
   * before those, then the innermost, one that takes text, the latest.
   */
  of(activeWindow: UiNode | undefined): string | undefined {
    if (this.#told !== undefined || this.#claims.size === 0) return this.#told
    const [only] = this.#claims.size === 1 ? this.#claims : []
    if (only !== undefined && activeWindow !== undefined && isShown(only) && isNear(only, activeWindow) && isWithin(only, activeWindow.key))
      return only.key
    const shown = [...this.#claims].filter((n) => isShown(n) && (activeWindow === undefined || isNear(n, activeWindow)))
    const active = shown.filter((node) => isWithin(node, activeWindow?.key))
    // Of another window only a popup's entry can have it: the pane of a window goes on claiming it behind a dialog.
    const others = activeWindow === undefined ? shown : shown.filter((node) => INTERACTIVE.has(node.role))
    const claims = active.length > 0 ? active : others
    const inner = claims.filter((node) => !claims.some((other) => other !== node && isWithin(other, node.key)))
    return (inner.findLast((node) => node.states?.editable === true) ?? inner.at(-1))?.key
  }
}

const isShown = (node: UiNode): boolean => node.states?.visible !== false || isOffScreen(node)

/** LibreOffice's fields keep saying that they have the focus behind a dialog of which no element does; only popups are in no stack of windows. */
function isNear(node: UiNode, activeWindow: UiNode): boolean {
  const top = topOf(node)
  return node.app.id === activeWindow.app.id && (top.key === topOf(activeWindow).key || top.attributes?.['z'] === undefined)
}

function isWithin(node: UiNode, key: string | undefined): boolean {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.key === key) return true
  return false
}

const topOf = (node: UiNode): UiNode => (node.parent === undefined ? node : topOf(node.parent))
