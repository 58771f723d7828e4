import { setTimeout as sleep } from 'node:timers/promises'
import { type Point } from '@deskhand/core/model'
import { toLocal } from './atspi/local.ts'
import { ACCESSIBLE, COMPONENT } from './atspi/names.ts'
import type { MirrorNode } from './atspi/node.ts'
import { ROLE } from './atspi/roles.ts'

/** Chromium answers at once with a guess and asks its page meanwhile; the page's answer is what it says from then on. */
const BETWEEN_MS = 8
const LOOKS = 2
/** Where elements overlap the guess is often wrong, so the page gets more time. */
const LOOKS_AT_LAYERS = 8
/** What is asked again so soon, with nothing drawn meanwhile, has the same answer. */
const KEEP_MS = 400
const SCREEN = 0
const MOST_LEVELS = 8

/** What a page itself says lies at a point: the order in which it draws its elements is not in its tree, nor is what it lays over all of them. */
export class PageHits {
  #last: { document: MirrorNode; at: Point; drawn: number; time: number; node: Promise<MirrorNode | undefined> } | undefined

  /** `drawn` grows with everything that is drawn; `isLayered`: several elements claim the point. */
  at(document: MirrorNode, at: Point, drawn: number, isLayered: boolean): Promise<MirrorNode | undefined> {
    const last = this.#last
    const time = performance.now()
    const isSame = last?.document === document && last.at.x === at.x && last.at.y === at.y && last.drawn === drawn
    if (isSame && time - last.time < KEEP_MS) return last.node
    const node = ask(document, at, isLayered ? LOOKS_AT_LAYERS : LOOKS).catch(() => undefined)
    this.#last = { document, at, drawn, time, node }
    return node
  }
}

/** The page that a node is in; the outermost, which knows what lies in the frames of others. */
export function pageOf(node: MirrorNode): MirrorNode | undefined {
  let page: MirrorNode | undefined
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n.role === ROLE.DOCUMENT_WEB) page = n
  return page
}

async function ask(page: MirrorNode, at: Point, looks: number): Promise<MirrorNode | undefined> {
  const { app } = page
  const { x, y } = app.isLocal ? toLocal(page, at) : at
  const look = async (): Promise<string> => {
    const [[, told]] = await app.call(page.path, COMPONENT, 'GetAccessibleAtPoint', 'iiu', [Math.floor(x), Math.floor(y), SCREEN], '(so)')
    return told
  }
  const guess = await look()
  let path = guess
  for (let left = looks; left > 0 && path === guess; left--) {
    await sleep(BETWEEN_MS)
    path = await look()
  }
  for (let level = 0; level < MOST_LEVELS; level++) {
    const node = app.nodes.get(path)
    if (node !== undefined) return node
    const [, above] = await app.get(path, ACCESSIBLE, 'Parent', '(so)')
    path = above
  }
  return undefined
}
