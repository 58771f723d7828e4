import { ChangeLog } from '@deskhand/core/driver'
import { type AppIdentity, type Completeness, contains, type FlatNode, type Point, type Rect } from '@deskhand/core/model'
import { Apps } from './apps.ts'
import { nodeOfWindow, readControls, readFrame } from './classic/reader.ts'
import { type Reading, Unanswered } from './classic/reading.ts'
import { ComHelper } from './com/helper.ts'
import { deepestAt } from './hit.ts'
import { MsaaControls } from './msaa/controls.ts'
import { flatten, topOf, walk, type WinNode } from './node.ts'
import { isSap, SapWindows } from './sap/windows.ts'
import { UiaWindows } from './uia/windows.ts'
import { user32 } from './win32/api.ts'
import type { Handle } from './win32/library.ts'
import { isAbove, keepRights, mustBeInReach } from './win32/rights.ts'
import { WinEvents } from './win32/win-events.ts'
import { childrenOf, classOf, exStyleOf, focusOf, ownerThread, rectOf, rootOf } from './win32/window.ts'

/** An application that did not answer is left alone so long. */
const LEAVE_ALONE_MS = 1500
/** Clicks go through these to what lies beneath. */
const TRANSPARENT = 0x20
const LAYERED = 0x80000
/** Windows that are no elements of their own: what they show belongs to another one. */
const PARTS: ReadonlySet<string> = new Set(['ComboLBox', 'Progman', 'WorkerW', 'IME', 'MSCTFIME UI'])

/** All windows of a desktop as they were at the last `refresh`, and what changed from one to the next. */
export class WindowsDesktop {
  readonly log = new ChangeLog()
  /** The topmost first. */
  roots: WinNode[] = []
  apps: AppIdentity[] = []
  completeness: Completeness = { complete: true, reasons: [] }
  focus: WinNode | undefined
  readonly #apps = new Apps()
  readonly #helper = new ComHelper()
  readonly uia = new UiaWindows(this.#helper, () => this.events.note())
  readonly msaa = new MsaaControls(this.#helper)
  readonly sap = new SapWindows(this.#helper)
  /** Tells when it is worth reading again before its time. */
  readonly events = new WinEvents()
  /** Controls that tell nothing by messages, as of the last refresh. */
  #untold: Handle[] = []
  readonly #silent = new Map<Handle, number>()
  #byKey = new Map<string, WinNode>()
  #byHandle = new Map<Handle, WinNode>()
  #told = new Map<string, string>()
  readonly #onDrawn: (area: Rect) => void

  constructor(onDrawn: (area: Rect) => void) {
    this.#onDrawn = onDrawn
  }

  node(key: string): WinNode | undefined {
    return this.#byKey.get(key)
  }

  close(): void {
    this.log.wake()
    this.events.close()
    this.uia.close()
    this.#helper.close()
  }

  /** Reads every window anew, also through UI Automation and SAP, which `refresh` does not ask. What SAP said may be as old as the caller says. */
  async look(sapAgeMs = 0): Promise<void> {
    const windows = childrenOf().filter((h) => isShown(h) && ownerThread(h).pid !== process.pid)
    const answering = windows.filter((h) => user32.IsIconic(h) === 0 && !this.isSilent(h) && !isAbove(ownerThread(h).pid))
    const ofSap = answering.filter((h) => isSap(this.#apps.of(ownerThread(h).pid)))
    const late = [...(await this.sap.update(ofSap, sapAgeMs)), ...(await this.uia.update(answering.filter((h) => !this.sap.has(h))))]
    for (const h of late) this.#silent.set(h, performance.now())
    this.refresh()
    const inside = await this.msaa.update(this.#untold)
    for (const h of inside.late) this.#silent.set(rootOf(h), performance.now())
    if (inside.isNews) this.refresh()
  }

  /** Reads every window anew by what is at hand. Applications that hang are known by that and not asked. */
  refresh(): void {
    const reasons: Completeness['reasons'] = []
    const pids = new Set<number>()
    this.roots = []
    this.#untold = []
    for (const h of childrenOf()) {
      if (!isShown(h)) continue
      const { pid } = ownerThread(h)
      if (pid === 0 || pid === process.pid) continue
      pids.add(pid)
      this.roots.push(
        this.#readWindow(h, { app: this.#apps.of(pid).id, pid, gaps: new Set(), msaa: this.msaa, untold: this.#untold }, reasons),
      )
    }
    for (const h of this.#silent.keys()) if (user32.IsWindow(h) === 0) this.#silent.delete(h)
    const before = this.apps
    this.apps = this.#apps.keep(pids)
    keepRights(pids)
    for (const app of this.apps) if (!before.includes(app)) this.log.add({ type: 'app', app })
    this.#index()
    this.#tell()
    if (JSON.stringify(reasons) !== JSON.stringify(this.completeness.reasons)) {
      this.completeness = { complete: reasons.length === 0, reasons }
      this.log.add({ type: 'completeness', completeness: this.completeness })
    }
  }

  /** The window at a point, and the innermost element in it. */
  at(point: Point): { window?: WinNode; node?: WinNode } {
    const window = this.roots.find(({ face }) => face.bounds !== undefined && contains(face.bounds, point))
    if (window === undefined) return {}
    return { window, node: (window.face.role === 'menu' ? this.#itemAt(point, window.app) : undefined) ?? deepestAt(window, point) }
  }

  /** What a menu lets down is a window of its own; its items belong to the menu bar. */
  #itemAt(point: Point, app: string): WinNode | undefined {
    const items = this.roots.filter((root) => root.app === app).flatMap((root) => [...walk(root)])
    return items.findLast(({ face }) => face.role.startsWith('menuitem') && face.bounds !== undefined && contains(face.bounds, point))
  }

  activeWindow(): WinNode | undefined {
    return this.#byHandle.get(user32.GetForegroundWindow())
  }

  /** The element with the keyboard, asked of Windows now. */
  focused(): WinNode | undefined {
    const h = focusOf()
    const node = h === 0 ? undefined : nodeOfWindow(this.#byHandle, h)
    const root = node === undefined ? undefined : topOf(node)
    if (node === undefined || root === undefined) return node
    const within = this.uia.has(root.hwnd) ? root : node
    return [...walk(within)].find(({ uia, msaa, face }) => (uia ?? msaa) !== undefined && face.states.focused === true) ?? node
  }

  /** Throws where Windows keeps input from the window that has the keyboard, or that lies at a point. */
  mustTakeInput(at?: Point): void {
    const window = at === undefined ? this.activeWindow() : this.at(at).window
    if (window !== undefined) mustBeInReach(window.hwnd, window.face.name ?? '')
  }

  /** Whether an application has been found not to answer. */
  isSilent(h: Handle): boolean {
    return user32.IsHungAppWindow(h) !== 0 || (this.#silent.get(h) ?? -Infinity) > performance.now() - LEAVE_ALONE_MS
  }

  #readWindow(h: Handle, reading: Reading, reasons: Completeness['reasons']): WinNode {
    const frame = readFrame(h, reading)
    const hangs = (): void => {
      frame.children = []
      frame.face.states.busy = true
      reasons.push({ kind: 'hung', app: reading.app, detail: `"${frame.face.name}" does not answer; only its frame is known` })
    }
    if (isAbove(reading.pid))
      reading.gaps.add(`"${frame.face.name}" belongs to a program with higher rights: Windows lets Deskhand neither read nor operate it`)
    else if (this.isSilent(h)) hangs()
    else if (this.sap.has(h)) this.sap.fill(frame)
    else if (this.uia.has(h)) {
      this.uia.fill(frame)
      for (const gap of this.uia.gapsOf(h)) reading.gaps.add(gap)
    } else if (user32.IsIconic(h) === 0) {
      try {
        readControls(frame, reading)
        this.#silent.delete(h)
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        if (user32.IsWindow(h) !== 0) this.#silent.set(h, performance.now())
        hangs()
      } finally {
        reading.memory?.close()
      }
    }
    if (isSap(this.#apps.of(reading.pid))) for (const gap of this.sap.gaps) reading.gaps.add(gap)
    for (const detail of reading.gaps) reasons.push({ kind: 'degraded', app: reading.app, detail })
    return frame
  }

  #index(): void {
    this.#byKey = new Map()
    this.#byHandle = new Map()
    for (const root of this.roots) {
      for (const node of walk(root)) {
        this.#byKey.set(node.key, node)
        if (
          node.entry === undefined &&
          node.uia === undefined &&
          node.msaa === undefined &&
          node.sap === undefined &&
          node.face.role !== 'menubar' &&
          node.face.role !== 'menu'
        )
          this.#byHandle.set(node.hwnd, node)
      }
      this.#byHandle.set(root.hwnd, root)
    }
    const focused = this.focused()
    if (focused !== undefined) focused.face.states.focused = true
    if (focused?.key !== this.focus?.key) this.log.add({ type: 'focus', key: focused?.key, window: this.activeWindow()?.key })
    this.focus = focused
  }

  #tell(): void {
    const told = new Map<string, string>()
    for (const node of this.flat()) {
      const text = JSON.stringify(node)
      told.set(node.key, text)
      if (this.#told.get(node.key) === text) continue
      this.log.add({ type: 'put', node })
      if (node.bounds !== undefined) this.#onDrawn(node.bounds)
    }
    const gone = new Set([...this.#told.keys()].filter((key) => !told.has(key)))
    for (const key of gone) this.log.add({ type: 'gone', key })
    this.#told = told
  }

  /** Every node as it is told, or a node and what is below it, parents first. */
  flat(root?: WinNode): FlatNode[] {
    const nodes: FlatNode[] = []
    const visit = (node: WinNode, index: number): void => {
      nodes.push(flatten(node, index))
      node.children.forEach(visit)
    }
    if (root !== undefined) visit(root, root.parent?.children.indexOf(root) ?? this.roots.indexOf(root))
    else this.roots.forEach(visit)
    return nodes
  }
}

function isShown(h: Handle): boolean {
  if (user32.IsWindowVisible(h) === 0 || PARTS.has(classOf(h))) return false
  const style = exStyleOf(h)
  if ((style & TRANSPARENT) !== 0 && (style & LAYERED) !== 0) return false
  const rect = rectOf(h)
  return rect !== undefined && rect.w > 0 && rect.h > 0
}
