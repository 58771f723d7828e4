import { type Rect, union } from '@deskhand/core/model'
import type { App } from './app.ts'
import type { MirrorNode } from './node.ts'
import { hasState } from './states.ts'

/** More areas than this count as one that holds them all. */
const MAX_AREAS = 16
/** Where so many looks in a row found nothing new, something is only animated: that place is looked at again after a rest, or once anything else happens. */
const LOOKS = 3
export const REST_MS = 250
/** A page is drawn by a process that tells the browser of it afterwards, on a busy machine much later. */
const AGAIN_MS = [REST_MS, 4 * REST_MS]
/** By how much the place of an animation may vary. */
const SLACK = 8

/** What of an application may be different without its having said so. */
export class StaleAreas {
  #everything = false
  #moved = false
  #areas: Rect[] = []
  #covered: { window: MirrorNode; area: Rect }[] = []
  readonly #nodes = new Set<MirrorNode>()
  #animation: { area: Rect; looks: number; restsUntil: number; drew: boolean } | undefined
  #looked: Rect | undefined
  /** Where an application draws before it knows what is there: when to look once more. */
  #again: { area: Rect; at: readonly number[] } | undefined

  get any(): boolean {
    const animation = this.#animation
    const isRested = animation !== undefined && animation.drew && performance.now() >= animation.restsUntil
    return (
      isRested || this.#isDue || this.#everything || this.#moved || this.#areas.length + this.#covered.length > 0 || this.#nodes.size > 0
    )
  }

  /** Anything may be. */
  addAll(): void {
    this.#everything = true
  }

  /** A window came or moved, with all that it shows. */
  addMoved(): void {
    this.#moved = true
  }

  get #isDue(): boolean {
    return performance.now() >= (this.#again?.at[0] ?? Infinity)
  }

  /** Something was drawn here; `isEarly`: by an application that may say only later what it drew. */
  addArea(area: Rect, isEarly = false): void {
    const animation = this.#animation
    if (animation !== undefined && animation.looks >= LOOKS && holds(animation.area, area)) return void (animation.drew = true)
    const now = performance.now()
    if (isEarly)
      this.#again = { area: this.#again === undefined ? area : union(this.#again.area, area), at: AGAIN_MS.map((ms) => now + ms) }
    this.#areas = this.#areas.length < MAX_AREAS ? [...this.#areas, area] : [[...this.#areas, area].reduce(union)]
  }

  /** Something lies over a window here, so that nothing is drawn whatever becomes of it. */
  addCovered(window: MirrorNode, area: Rect): void {
    this.#covered.push({ window, area })
  }

  /** This node and what is in it. */
  addNode(node: MirrorNode): void {
    this.#nodes.add(node)
  }

  /** What was last taken has been asked again; whether anything was different. */
  settled(isDifferent: boolean): void {
    const [looked, animation] = [this.#looked, this.#animation]
    if (looked === undefined) return
    const isSame = animation !== undefined && holds(animation.area, looked)
    if (isDifferent) this.#animation = undefined
    else if (isSame) Object.assign(animation, { looks: animation.looks + 1, restsUntil: performance.now() + REST_MS })
    else this.#animation = { area: grown(looked), looks: 1, restsUntil: performance.now() + REST_MS, drew: false }
    // What was drawn meanwhile may be no more than the animation going on.
    for (const area of this.#areas.splice(0)) this.addArea(area)
  }

  /** Something happened: what is drawn from now on may be more than an animation. */
  stir(): void {
    const animation = this.#animation
    if (animation !== undefined) Object.assign(animation, { looks: Math.min(animation.looks, LOOKS - 1), restsUntil: 0 })
  }

  /** The nodes in doubt; from here on there are no doubts. */
  take(app: App): Set<MirrorNode> {
    // What is out of view in a large application stays so, or is drawn when it does not.
    const everything = this.#everything || (this.#moved && !app.isLarge)
    const [moved, animation] = [this.#moved, this.#animation]
    const areas = animation?.drew === true ? [...this.#areas, animation.area] : [...this.#areas]
    if (animation !== undefined) animation.drew = false
    this.#looked = everything || moved || this.#nodes.size > 0 || areas.length === 0 ? undefined : areas.reduce(union)
    // A look that comes again tells nothing of animations.
    if (this.#again !== undefined && this.#isDue) {
      areas.push(this.#again.area)
      const at = this.#again.at.slice(1)
      this.#again = at.length > 0 ? { ...this.#again, at } : undefined
    }
    const nodes = [...this.#nodes].filter((n) => app.nodes.get(n.path) === n)
    this.#everything = this.#moved = false
    this.#areas = []
    const covered = this.#covered.splice(0)
    this.#nodes.clear()
    const found = new Set<MirrorNode>(everything ? app.nodes.values() : [])
    if (everything) return found
    if (moved) for (const node of app.nodes.values()) if (node.isShown) found.add(node)
    if (areas.length > 0) for (const window of app.windows) drawnIn(window, areas, found)
    for (const { window, area } of covered) shownIn(window, area, found)
    for (const node of nodes) addBelow(node, found)
    return found
  }
}

/**
 * Beyond what it is in, though it shows, as what GTK 3 lays out later than what is around it: it is not drawn where it is known to be. The application has said
 * so of its place by now.
 */
function isAstray(node: MirrorNode, bounds: Rect): boolean {
  const around = node.parent?.place ?? node.parent?.bounds
  if (around === undefined || !node.isShowing || node.isWindow || node.opensElsewhere || node.parent?.opensElsewhere === true) return false
  return !overlap(bounds, around)
}

/** What lies in these areas, and what is hidden there and may have come out; of what is in something hidden, only what says that it is not. */
function drawnIn(node: MirrorNode, areas: readonly Rect[], found: Set<MirrorNode>, isInHidden = false): void {
  const bounds = node.place ?? node.bounds
  const isFar = bounds !== undefined && !areas.some((a) => overlap(a, bounds))
  if (isFar && isAstray(node, bounds)) return addBelow(node, found)
  if (isFar && !(node.opensElsewhere && (hasState(node, 'expanded') || node.children.some((c) => c.isShowing)))) return
  const isHidden = bounds === undefined && !node.isShowing && !node.app.toolkit.isRelative
  if (!isFar && !(isHidden && isInHidden)) found.add(node)
  for (const child of node.children) drawnIn(child, areas, found, isHidden)
}

/** What is shown in this area, as far as is known. */
function shownIn(node: MirrorNode, area: Rect, found: Set<MirrorNode>): void {
  const bounds = node.place ?? node.bounds
  if (bounds === undefined || !overlap(area, bounds)) return
  found.add(node)
  for (const child of node.children) shownIn(child, area, found)
}

/** Of a large application not what is in something hidden. */
function addBelow(node: MirrorNode, found: Set<MirrorNode>): void {
  found.add(node)
  if (!node.app.isLarge || node.isShowing) for (const child of node.children) addBelow(child, found)
}

export const overlap = (a: Rect, b: Rect): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

const holds = (a: Rect, b: Rect): boolean => a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h

const grown = ({ x, y, w, h }: Rect): Rect => ({ x: x - SLACK, y: y - SLACK, w: w + 2 * SLACK, h: h + 2 * SLACK })
