import { type ComHelper, Refused, TooLate } from '../com/helper.ts'
import type { WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import type { UiaElement, UiaStep, UiaTree } from './client.ts'
import { faceOf } from './face.ts'
import { UiaListening } from './listening.ts'

/** A window of which UI Automation said nothing is asked again after so long: some applications begin to tell only then. */
const AGAIN_MS = 2000

/** What UI Automation says of each window, as it was at the last `update`. */
export class UiaWindows {
  readonly #helper: ComHelper
  readonly #trees = new Map<Handle, UiaTree>()
  readonly #silent = new Map<Handle, number>()
  /** Why there is no UI Automation here, with the answer that was given. */
  #missing: string | undefined

  readonly #listening: UiaListening

  /** `onChange` is called when an application tells of a change. */
  constructor(helper: ComHelper, onChange: () => void) {
    this.#helper = helper
    this.#listening = new UiaListening(onChange)
  }

  close(): void {
    this.#listening.close()
  }

  /** Asks for each window again. Answers with those that did not answer in time. */
  async update(windows: readonly Handle[]): Promise<Handle[]> {
    for (const h of [...this.#trees.keys(), ...this.#silent.keys()]) if (!windows.includes(h)) this.#forget(h)
    const late: Handle[] = []
    for (const h of windows) {
      if (this.#missing !== undefined) break
      if ((this.#silent.get(h) ?? -Infinity) > performance.now() - AGAIN_MS) continue
      if (!(await this.#read(h, windows))) late.push(h)
    }
    return late
  }

  #forget(h: Handle): void {
    this.#trees.delete(h)
    this.#silent.delete(h)
  }

  async #read(h: Handle, open: readonly Handle[]): Promise<boolean> {
    try {
      const tree = await this.#helper.ask<UiaTree>({ do: 'uia.read', window: h, open })
      this.#forget(h)
      if (tree.elements.length > 1) {
        this.#trees.set(h, tree)
        this.#listening.start()
      } else this.#silent.set(h, performance.now())
    } catch (error) {
      this.#forget(h)
      if (error instanceof TooLate) return user32.IsWindow(h) === 0
      if (!(error instanceof Refused)) throw error
      if (error.message.includes('CoCreateInstance')) this.#missing = error.message
      this.#silent.set(h, performance.now())
    }
    return true
  }

  has(h: Handle): boolean {
    return this.#trees.has(h)
  }

  gapsOf(h: Handle): readonly string[] {
    return this.#trees.get(h)?.gaps ?? []
  }

  /** Puts the elements of a window below its frame. */
  fill(frame: WinNode): void {
    const tree = this.#trees.get(frame.hwnd)
    const nodes: WinNode[] = []
    for (const element of tree?.elements ?? []) {
      const node = element.parent < 0 ? asFrame(frame, element) : asNode(frame, element)
      nodes.push(node)
      const parent = element.parent < 0 ? undefined : nodes[element.parent]
      if (parent === undefined) continue
      node.parent = parent
      parent.children.push(node)
    }
  }

  act(node: WinNode, step: UiaStep): Promise<string> {
    return this.#helper.ask<string>({ do: 'uia.act', window: node.hwnd, element: node.uia ?? '', step })
  }
}

/** The window system knows more of a frame than UI Automation; what it lacks is added. */
function asFrame(frame: WinNode, element: UiaElement): WinNode {
  frame.face.platformIds = { ...faceOf(element).platformIds, ...frame.face.platformIds }
  return frame
}

function asNode(frame: WinNode, element: UiaElement): WinNode {
  const face = faceOf(element)
  const id = typeof element.facts.window === 'number' ? user32.GetDlgCtrlID(element.facts.window) : 0
  if (id > 0) face.platformIds = { ...face.platformIds, legacyId: String(id) }
  return { key: `${frame.key}/u${element.id}`, app: frame.app, hwnd: frame.hwnd, uia: element.id, face, children: [] }
}
