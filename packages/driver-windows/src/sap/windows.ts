import type { AppIdentity } from '@deskhand/core/model'
import { type ComHelper, Refused, TooLate } from '../com/helper.ts'
import type { WinNode } from '../node.ts'
import type { Handle } from '../win32/library.ts'
import type { SapStep } from './act.ts'
import type { SapScreens, SapWindow } from './client.ts'
import type { SapElement } from './element.ts'

/** How long SAP may take over a screen, and over a step, which it answers after its server has. */
const READ_MS = 15_000
const STEP_MS = 20_000
const PROGRAMS: ReadonlySet<string> = new Set(['saplogon', 'saplgpad', 'sapgui'])

/** Whether a program is SAP GUI, by the file that runs. */
export const isSap = ({ executable, name }: AppIdentity): boolean => executable !== undefined && PROGRAMS.has(name.toLowerCase())

/** What SAP GUI says of its own windows. Nothing is asked while none of its programs shows one. */
export class SapWindows {
  readonly #helper: ComHelper
  #windows = new Map<Handle, SapWindow>()
  gaps: readonly string[] = []
  #readAt = -Infinity

  constructor(helper: ComHelper) {
    this.#helper = helper
  }

  /**
   * Asks again for these windows of SAP's programs, unless what is known is younger than the caller needs. Answers with those that did not
   * answer in time. Others are not believed.
   */
  async update(own: readonly Handle[], ageMs: number): Promise<Handle[]> {
    if (performance.now() - this.#readAt < ageMs && own.every((h) => this.has(h))) return []
    const { screens, late } = await this.#ask(own)
    this.#windows = new Map(screens.windows.filter(({ handle }) => own.includes(handle)).map((window) => [window.handle, window]))
    this.gaps = screens.gaps
    this.#readAt = performance.now()
    return late
  }

  async #ask(own: readonly Handle[]): Promise<{ screens: SapScreens; late: Handle[] }> {
    if (own.length === 0) return { screens: { windows: [], gaps: [] }, late: [] }
    try {
      return { screens: await this.#helper.ask<SapScreens>({ do: 'sap.read' }, READ_MS), late: [] }
    } catch (error) {
      if (error instanceof TooLate) return { screens: { windows: [], gaps: [] }, late: [...own] }
      if (!(error instanceof Refused)) throw error
      return { screens: { windows: [], gaps: [error.message] }, late: [] }
    }
  }

  has(h: Handle): boolean {
    return this.#windows.has(h)
  }

  /** Puts the components of a window below its frame. */
  fill(frame: WinNode): void {
    const window = this.#windows.get(frame.hwnd)
    const nodes: WinNode[] = []
    for (const element of window?.elements ?? []) {
      const parent = nodes[element.parent]
      const node = parent === undefined ? asFrame(frame, window?.session ?? '', element) : asNode(parent, window?.session ?? '', element)
      nodes.push(node)
      if (parent === undefined) continue
      node.parent = parent
      parent.children.push(node)
    }
  }

  act({ sap }: WinNode, step: SapStep): Promise<string> {
    const { session = '', component = '' } = sap ?? {}
    return this.#helper.ask<string>({ do: 'sap.act', session, component, step }, STEP_MS)
  }
}

/** The window system knows more of a frame; SAP knows what it is and how it is called in scripts. */
function asFrame(frame: WinNode, session: string, { id, role, states }: SapElement): WinNode {
  frame.face.role = role
  if (states.modal === true) frame.face.states.modal = true
  frame.face.platformIds = { ...frame.face.platformIds, sapId: id }
  frame.face.attributes = { ...frame.face.attributes, session }
  frame.sap = { session, component: id }
  return frame
}

function asNode(parent: WinNode, session: string, element: SapElement): WinNode {
  const { id, parent: _, entry, type, attributes, ...face } = element
  return {
    key: `${frameKey(parent)}/s${id}`,
    app: parent.app,
    hwnd: parent.hwnd,
    sap: { session, component: entry === undefined ? id : id.slice(0, -entry.length - 1), ...(entry !== undefined && { entry }) },
    face: { ...face, platformIds: { sapId: id }, attributes: { type, ...attributes } },
    children: [],
  }
}

const frameKey = ({ key }: WinNode): string => key.split('/s')[0] ?? key
