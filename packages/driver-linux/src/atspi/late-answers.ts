import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './app.ts'
import { ownText } from './contents.ts'
import { askName, loadState } from './describe.ts'
import { loadDetails } from './details.ts'
import { type MirrorNode, below } from './node.ts'
import { ROLE } from './roles.ts'

/** A page is looked at again after so many milliseconds each. */
const WAITS = [50, 100, 200, 400, 800, 1600, 3200, 6400]
/** So many elements of a page are asked at each look. */
const SAMPLE = 40

interface LateAnswersNeeds {
  /** Readers wait for this. */
  track: (app: App, work: Promise<void>) => void
  /** The elements of a page have said more than before. */
  onFilled: (page: MirrorNode) => void
}

/**
 * Firefox answers the first question of each kind about a page with nothing, only then fetches the answers from the page's process, and
 * sends no event when they have come. So for a while after a page was read some of its elements that said nothing are asked again.
 */
export class LateAnswers {
  readonly #needs: LateAnswersNeeds
  /** How often each page was looked at again. */
  readonly #looks = new Map<MirrorNode, { count: number }>()

  constructor(needs: LateAnswersNeeds) {
    this.#needs = needs
  }

  /** These elements have just been read. */
  doubt(app: App, nodes: Iterable<MirrorNode>): void {
    if (!app.toolkit.answersLate) return
    for (const page of new Set([...nodes].map(pageOf))) {
      if (page === undefined || this.#looks.get(page)?.count === 0) continue
      const looks = { count: 0 }
      this.#looks.set(page, looks)
      const filled = this.#watch(page, looks, () => !isSilent(page))
      this.#needs.track(app, filled)
      void filled.then(() => this.#watch(page, looks, () => false)).catch(() => {})
    }
  }

  async #watch(page: MirrorNode, looks: { count: number }, isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const wait = WAITS[looks.count]
      if (wait !== undefined) await sleep(wait, undefined, { ref: false })
      if (this.#looks.get(page) !== looks) return
      if (wait === undefined || !isKept(page)) return void this.#looks.delete(page)
      looks.count++
      const look = this.#look(page)
      this.#needs.track(
        page.app,
        look.then(() => {}),
      )
      if (await look) looks.count = 1
    }
  }

  /** True when the page says more than before. */
  async #look(page: MirrorNode): Promise<boolean> {
    const { app } = page
    const asked = sampleOf(page)
    const before = asked.map(said)
    await askAgain(app, asked)
    if (asked.every((node, i) => said(node) === before[i])) return false
    await askAgain(app, [...below(page)])
    if (isKept(page)) this.#needs.onFilled(page)
    return true
  }
}

const isKept = (page: MirrorNode): boolean => !page.app.isClosed && page.app.nodes.get(page.path) === page

function pageOf(node: MirrorNode): MirrorNode | undefined {
  for (let n: MirrorNode | undefined = node; n !== undefined; n = n.parent) if (n.role === ROLE.DOCUMENT_WEB) return n
  return undefined
}

/** Whether some elements of a page could hold a text and none does. */
function isSilent(page: MirrorNode): boolean {
  let canSpeak = false
  for (const node of below(page)) {
    if (ownText(node) !== undefined) return false
    canSpeak ||= node.text === ''
  }
  return canSpeak
}

/** Elements that said nothing, spread over the page; half of them such as hold no others, in which most texts are. */
function sampleOf(page: MirrorNode): MirrorNode[] {
  const silent = [...below(page)].filter((n) => n.isRead && (n.name === '' || ownText(n) === undefined || n.actions?.length === 0))
  const shown = silent.filter((n) => n.isShown)
  const from = shown.length > 1 ? shown : silent
  const isLeaf = (n: MirrorNode): boolean => n.children.length === 0
  return [...spread(from.filter(isLeaf)), ...spread(from.filter((n) => !isLeaf(n)))]
}

function spread(nodes: readonly MirrorNode[]): MirrorNode[] {
  const step = Math.max(1, Math.ceil(nodes.length / (SAMPLE / 2)))
  return nodes.filter((_, i) => i % step === 0)
}

async function askAgain(app: App, nodes: readonly MirrorNode[]): Promise<void> {
  for (const node of nodes) {
    if (node.actions?.length === 0) node.actions = undefined
    if (node.label === '') node.label = undefined
    node.styledText = undefined
    node.isValued = false
  }
  await Promise.all(nodes.flatMap((n) => [askName(app, n), loadState(app, n).catch(() => {})]))
  await loadDetails(app, nodes, { bounds: true, actions: true, value: true })
}

const said = (n: MirrorNode): string =>
  JSON.stringify([n.name, n.role, n.low, n.high, n.text, n.label, n.number, n.chosen, n.actions, n.style, n.bounds])
