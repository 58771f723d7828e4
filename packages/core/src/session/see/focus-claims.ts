import type { UiNode } from '../../model/index.ts'

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
   * What gets the next key: never a hidden one, nor one of another application than the active window's; the active window before others,
   * then the innermost, one that takes text, the latest.
   */
  of(activeWindow: UiNode | undefined): string | undefined {
    if (this.#told !== undefined) return this.#told
    const shown = [...this.#claims].filter(
      (n) => n.states?.visible !== false && (activeWindow === undefined || n.app.id === activeWindow.app.id),
    )
    const active = shown.filter((node) => isWithin(node, activeWindow?.key))
    const claims = active.length > 0 ? active : shown
    const inner = claims.filter((node) => !claims.some((other) => other !== node && isWithin(other, node.key)))
    return (inner.findLast((node) => node.states?.editable === true) ?? inner.at(-1))?.key
  }
}

function isWithin(node: UiNode, key: string | undefined): boolean {
  for (let n: UiNode | undefined = node; n !== undefined; n = n.parent) if (n.key === key) return true
  return false
}
