import { DeskhandError } from '../../errors.ts'
import type { ActionOf, Principal, Target, UiNode } from '../../model/index.ts'
import { clip, generator, json } from '../../selector/index.ts'
import { LOOKED, type Outcome } from '../outcome.ts'
import type { Redactor } from '../ports.ts'
import { appsOf } from './apps.ts'
import type { LiveTree } from './live-tree.ts'
import type { InPixels } from './names.ts'
import type { Refs } from './refs.ts'
import type { Resolver } from './resolve.ts'
import type { See } from './see.ts'
import type { Snapshots } from './snapshots.ts'
import type { Resolved } from './targets.ts'
import type { Waiter } from './waiter.ts'

interface QueryNeeds {
  see: See
  refs: Refs
  resolver: Resolver
  snapshots: Snapshots
  redactor: Redactor
  tree: LiveTree
  waiter: Waiter
  inPixels: InPixels
}

/** Looks that need nothing but the tree. */
export class Queries {
  readonly #on: QueryNeeds

  constructor(needs: QueryNeeds) {
    this.#on = needs
  }

  /** Brings the tree up to date. */
  sync(): Promise<void> {
    return this.#on.tree.sync()
  }

  async snapshot(action: ActionOf<'snapshot'>, judged: readonly Resolved[], who: Principal): Promise<Outcome> {
    const { snapshots, inPixels } = this.#on
    await inPixels.look(who, { all: action.scope === 'desktop', glance: true })
    const root = action.root === undefined ? undefined : await this.element(action.root, judged, who)
    const { text, ...dom } = snapshots.take(who, action, root)
    const outcome: Outcome = {
      ...LOOKED,
      data: dom,
      text,
      evidence: { snapshotId: dom.snapshotId, ...this.#redactions(this.#passwordsIn(action, root, who)) },
    }
    return action.includeTextIndex ? inPixels.index(outcome, action, who) : outcome
  }

  /** The window that a snapshot is about, where it has no tree. */
  bareWindow({ scope, root }: ActionOf<'snapshot'>, who: Principal): UiNode | undefined {
    return scope === 'window' && root === undefined ? this.#on.snapshots.bareWindow(who) : undefined
  }

  async query({ selector, limit, timeoutMs }: ActionOf<'query'>, who: Principal, signal: AbortSignal): Promise<Outcome> {
    const { see, refs, resolver, snapshots, waiter } = this.#on
    if (timeoutMs) {
      const isThere = async () => ({ holds: (await resolver.matches(selector, who)).length > 0, details: '' })
      await waiter.until(isThere, { timeoutMs, signal })
    }
    const all = await resolver.matches(selector, who)
    const hidden = all.filter((m) => m.node.states?.visible === false)
    const found = [...all.filter((m) => m.node.states?.visible !== false), ...hidden]
    const first = found.slice(0, limit)
    const matches = first.map(({ node, confidence, why }) => ({
      elementId: refs.show(node, who),
      role: node.role,
      name: node.name,
      description: node.description,
      value: node.value,
      bounds: node.bounds,
      states: node.states,
      confidence,
      why,
    }))
    const shown = snapshots.found(
      first.map((m) => m.node),
      who,
    )
    const more = found.length > matches.length ? `\n… ${found.length - matches.length} more; raise limit or narrow the selector` : ''
    const text =
      found.length === 0
        ? `nothing matches ${selector}. ${resolver.miss(selector, who)}`
        : `${found.length} found${hiddenWords(hidden.length, found.length)}\n${shown}${more}`
    const evidence = this.#redactions(first.filter((m) => m.node.states?.password === true).length)
    return {
      ...LOOKED,
      data: { matches, count: found.length, complete: see(who).completeness.complete },
      text,
      ...(evidence && { evidence }),
    }
  }

  async describe({ element }: ActionOf<'describe'>, judged: readonly Resolved[], who: Principal): Promise<Outcome> {
    const { see, snapshots, redactor } = this.#on
    const node = await this.element(element, judged, who)
    // People copy a selector into what they write; agents have the id, and a selector of a large tree takes time.
    const selector = who.role === 'agent' ? undefined : generator(see(who))(node)
    const data = { ...snapshots.element(node, Infinity, who), ...(selector !== undefined && { selector }) }
    const evidence = this.#redactions(node.states?.password === true ? 1 : 0)
    return { ...LOOKED, data, ...(evidence && { evidence }), text: json(redactor.value({ ...data, children: node.children.length }), 1) }
  }

  /** How many fields an answer tells of without what they hold. */
  #redactions(password: number): Pick<NonNullable<Outcome['evidence']>, 'redactions'> | undefined {
    return password > 0 ? { redactions: { password } } : undefined
  }

  /** The password fields in what a snapshot is about. */
  #passwordsIn({ scope }: ActionOf<'snapshot'>, root: UiNode | undefined, who: Principal): number {
    const { tree, see } = this.#on
    const active = scope === 'desktop' ? undefined : tree.activeWindow
    let found = 0
    for (const field of tree.passwords) {
      const around = root?.key ?? active
      let at: UiNode | undefined = field
      while (at !== undefined && around !== undefined && at.key !== around) at = at.parent
      if ((around === undefined || at !== undefined) && field.states?.visible !== false && see(who).see(field.key) !== undefined) found++
    }
    return found
  }

  /** The element that was judged, as it is now: a selector may match others, too, which were not. */
  async element(target: Target, [judged]: readonly Resolved[], who: Principal): Promise<UiNode> {
    const { resolver, see } = this.#on
    const { key, region } = judged?.facts ?? {}
    const isRegion = ({ bounds: b }: UiNode): boolean =>
      b?.x === region?.x && b?.y === region?.y && b?.w === region?.w && b?.h === region?.h
    const node = region === undefined ? see(who).see(key) : (await resolver.find(target, who)).find(isRegion)
    if (node === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
    return node
  }

  /** The applications as a caller may know them. */
  apps(who: Principal): Outcome {
    const { see, refs } = this.#on
    const applications = appsOf(see(who)).map(({ app, windows }) => ({
      name: app.name,
      id: app.id,
      pid: app.pid,
      executable: app.executable,
      windows: windows.map((w) => ({
        elementId: refs.show(w, who),
        title: w.name,
        active: w.states?.active,
        bounds: w.bounds,
        /** Its place in the stack, bottom first. */
        z: w.attributes?.['z'],
        minimized: w.attributes?.['minimized'],
        maximized: w.attributes?.['maximized'],
      })),
    }))
    const lines = applications.flatMap(({ name, pid, executable, windows }) => [
      `${clip(name)}${pid === undefined ? '' : ` pid ${pid}`}${executable === undefined ? '' : ` ${clip(executable)}`}`,
      ...windows.map((w) => `  ${w.elementId} window ${clip(w.title ?? '')}${w.active === true ? ' active' : ''}`),
    ])
    const text = lines.length === 0 ? 'no application shows a window' : lines.join('\n')
    return { ...LOOKED, data: { applications }, text }
  }
}

const hiddenWords = (hidden: number, all: number): string => (hidden === 0 || hidden === all ? '' : `, ${hidden} of them hidden`)
