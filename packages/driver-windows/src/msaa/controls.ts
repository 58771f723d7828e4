import { createHash } from 'node:crypto'
import { type ComHelper, Refused, TooLate } from '../com/helper.ts'
import type { WinNode } from '../node.ts'
import type { Handle } from '../win32/library.ts'
import type { MsaaElement, MsaaMark, MsaaStep } from './client.ts'
import { msaaFace } from './face.ts'

/** A control of which MSAA said nothing is asked again after so long. */
const AGAIN_MS = 5000

/** What MSAA says of controls that neither UI Automation nor window messages tell anything of, as it was at the last `update`. */
export class MsaaControls {
  readonly #helper: ComHelper
  readonly #elements = new Map<Handle, Marked[]>()
  readonly #silent = new Map<Handle, number>()

  constructor(helper: ComHelper) {
    this.#helper = helper
  }

  /** Asks for these controls again. Answers with those that did not answer in time, and whether there may be something else to show. */
  async update(controls: readonly Handle[]): Promise<{ late: Handle[]; isNews: boolean }> {
    const hadSome = this.#elements.size > 0
    for (const h of [...this.#elements.keys(), ...this.#silent.keys()]) if (!controls.includes(h)) this.#forget(h)
    const late: Handle[] = []
    for (const h of controls) {
      if ((this.#silent.get(h) ?? -Infinity) > performance.now() - AGAIN_MS) continue
      try {
        const elements = await this.#helper.ask<MsaaElement[]>({ do: 'msaa.read', window: h, open: controls })
        this.#forget(h)
        if (elements.length > 0) this.#elements.set(h, marked(elements))
        else this.#silent.set(h, performance.now())
      } catch (error) {
        this.#forget(h)
        if (error instanceof TooLate) late.push(h)
        else if (error instanceof Refused) this.#silent.set(h, performance.now())
        else throw error
      }
    }
    return { late, isNews: hadSome || this.#elements.size > 0 || late.length > 0 }
  }

  #forget(h: Handle): void {
    this.#elements.delete(h)
    this.#silent.delete(h)
  }

  /** Puts what is known of a control below it; answers whether there is something. */
  fill(control: WinNode): boolean {
    const nodes: WinNode[] = []
    for (const element of this.#elements.get(control.hwnd) ?? []) {
      const parent = nodes[element.parent] ?? control
      const node: WinNode = {
        key: `${control.key}/a${element.path}-${element.mark}`,
        app: control.app,
        hwnd: control.hwnd,
        msaa: { path: element.path, role: element.role, name: element.name },
        face: msaaFace(element),
        parent,
        children: [],
      }
      nodes.push(node)
      parent.children.push(node)
    }
    return nodes.length > 0
  }

  act(hwnd: Handle, element: MsaaMark, step: MsaaStep): Promise<string> {
    return this.#helper.ask<string>({ do: 'msaa.act', window: hwnd, element, step })
  }
}

/** An element with a digest of what it and those around it are, for its key: after a row is gone, the next one stands at its place. */
type Marked = MsaaElement & { mark: string }

function marked(elements: readonly MsaaElement[]): Marked[] {
  const all: Marked[] = []
  for (const element of elements) {
    const { role, name, parent } = element
    const digest = createHash('sha1')
      .update(`${all[parent]?.mark ?? ''} ${role} ${name}`)
      .digest('hex')
    all.push({ ...element, mark: digest.slice(0, 12) })
  }
  return all
}
