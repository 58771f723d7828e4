import type { UiNode } from '../model/index.ts'

/** Climbs longer than this are remembered, so that a tree of any depth costs linear time. */
const LONG = 32

/** What a node has of its own, else of its nearest ancestor that has it. Valid as long as the tree does not change. */
export class Inherited<T> {
  readonly #own: (node: UiNode) => T | undefined
  readonly #otherwise: T
  #known?: Map<UiNode, T>

  constructor(own: (node: UiNode) => T | undefined, otherwise: T) {
    this.#own = own
    this.#otherwise = otherwise
  }

  of(node: UiNode | undefined): T {
    let answer: T | undefined
    let steps = 0
    let at = node
    for (; at !== undefined && answer === undefined; at = at.parent, steps++) answer = this.#own(at) ?? this.#known?.get(at)
    answer ??= this.#otherwise
    if (steps > LONG) {
      this.#known ??= new Map()
      for (let n = node; n !== undefined && n !== at; n = n.parent) this.#known.set(n, answer)
    }
    return answer
  }
}
