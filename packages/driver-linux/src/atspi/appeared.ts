import type { MirrorNode } from './node.ts'

export interface Newcomer {
  path: string
  /** Its place among its siblings; negative where it is not known. */
  index: number
}

/** Children that an application told of, until they are read together: Chromium tells of every element of a page that a script fills. */
export class Appeared {
  #waiting = new Map<MirrorNode, Map<string, number>>()

  /** True when none was waiting. */
  add(parent: MirrorNode, path: string, index: number): boolean {
    const isFirst = this.#waiting.size === 0
    const known = this.#waiting.get(parent)
    if (known === undefined) this.#waiting.set(parent, new Map([[path, index]]))
    else known.set(path, index)
    return isFirst
  }

  /** Those that no walk has found meanwhile, by their parents. */
  take(): [parent: MirrorNode, children: [Newcomer, ...Newcomer[]]][] {
    const waiting = [...this.#waiting]
    this.#waiting = new Map()
    return waiting.flatMap(([parent, children]) => {
      const { nodes } = parent.app
      if (nodes.get(parent.path) !== parent) return []
      const isNew = ([path, index]: [string, number]): boolean =>
        parent.children[index]?.path !== path || nodes.get(path)?.parent !== parent
      const [first, ...more] = [...children].filter(isNew).map(([path, index]) => ({ path, index }))
      return first === undefined ? [] : [[parent, [first, ...more]]]
    })
  }
}
