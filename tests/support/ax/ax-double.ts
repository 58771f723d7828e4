/**
 * Answers as the accessibility API of macOS does, for one application that is not there: elements are opaque, everything is an attribute or an
 * action by its AX name, an element that is gone is an error, and changes are told as notifications. Nothing of this has run on a Mac.
 */
export type AxElement = object

/** The result codes of the API, by their names in its header. */
export const AX_ERRORS = {
  invalidElement: -25202,
  attributeUnsupported: -25205,
  actionUnsupported: -25206,
  apiDisabled: -25211,
} as const

export class AxError extends Error {
  readonly code: number

  constructor(code: number) {
    super(`AX error ${code}`)
    this.code = code
  }
}

type Attributes = Record<string, unknown>

interface Held {
  parent?: AxElement
  attributes: Attributes
  settable: ReadonlySet<string>
  actions: Map<string, () => void>
  children: AxElement[]
}

export type AxNotification = 'AXCreated' | 'AXUIElementDestroyed' | 'AXValueChanged' | 'AXTitleChanged' | 'AXFocusedUIElementChanged'

/** One application with accessibility; `isTrusted` is the permission that a person gives in System Settings. */
export class AxApplication {
  readonly name = 'Contract'
  readonly pid = 4711
  readonly screen = { x: 0, y: 0, w: 1280, h: 800 }
  isTrusted = true
  #held = new Map<AxElement, Held>()
  #windows: AxElement[] = []
  #observers: ((notification: AxNotification, element: AxElement) => void)[] = []

  windows(): readonly AxElement[] {
    this.#mustBeTrusted()
    return this.#windows
  }

  /** AXUIElementCopyMultipleAttributeValues; what an element does not have is left out. */
  attributes(element: AxElement, names: readonly string[]): Attributes {
    const { attributes, children } = this.#get(element)
    const all: Attributes = { ...attributes, AXChildren: children }
    return Object.fromEntries(names.flatMap((name) => (name in all ? [[name, all[name]]] : [])))
  }

  /** AXUIElementCopyActionNames. */
  actionNames(element: AxElement): string[] {
    return [...this.#get(element).actions.keys()]
  }

  /** AXUIElementPerformAction. */
  perform(element: AxElement, action: string): void {
    const run = this.#get(element).actions.get(action)
    if (run === undefined) throw new AxError(AX_ERRORS.actionUnsupported)
    run()
  }

  /** AXUIElementIsAttributeSettable. */
  isSettable(element: AxElement, name: string): boolean {
    return this.#get(element).settable.has(name)
  }

  /** AXUIElementSetAttributeValue. */
  set(element: AxElement, name: string, value: unknown): void {
    if (!this.isSettable(element, name)) throw new AxError(AX_ERRORS.attributeUnsupported)
    if (name === 'AXFocused') return this.#focus(element)
    if (name === 'AXSelected') return this.#select(element)
    this.change(element, { [name]: value })
  }

  /** AXUIElementCopyElementAtPosition: the innermost one, in the window that is in front. */
  elementAt(x: number, y: number): AxElement | undefined {
    this.#mustBeTrusted()
    const inside = (element: AxElement): boolean => {
      const { AXPosition: at, AXSize: size } = this.#get(element).attributes as {
        AXPosition: { x: number; y: number }
        AXSize: { w: number; h: number }
      }
      return x >= at.x && y >= at.y && x < at.x + size.w && y < at.y + size.h
    }
    let found = this.#windows.find(inside)
    for (let next = found; next !== undefined; next = this.#get(next).children.find(inside)) found = next
    return found
  }

  /** AXObserverAddNotification for every notification there is. */
  observe(told: (notification: AxNotification, element: AxElement) => void): void {
    this.#observers.push(told)
  }

  /** What the application itself does: a new element, in front where it is a window. */
  add(parent: AxElement | undefined, attributes: Attributes, settable: readonly string[] = []): AxElement {
    const element = Object.freeze({})
    this.#held.set(element, { parent, attributes, settable: new Set(settable), actions: new Map(), children: [] })
    if (parent === undefined) this.#windows.unshift(element)
    else this.#get(parent).children.push(element)
    if (parent === undefined) this.#activate()
    this.#tell('AXCreated', element)
    return element
  }

  onAction(element: AxElement, action: string, run: () => void): AxElement {
    this.#get(element).actions.set(action, run)
    return element
  }

  change(element: AxElement, attributes: Attributes): void {
    Object.assign(this.#get(element).attributes, attributes)
    this.#tell('AXTitle' in attributes ? 'AXTitleChanged' : 'AXValueChanged', element)
  }

  remove(element: AxElement): void {
    this.#windows = this.#windows.filter((w) => w !== element)
    const gone = (one: AxElement): void => {
      for (const child of this.#get(one).children) gone(child)
      this.#held.delete(one)
    }
    gone(element)
    this.#tell('AXUIElementDestroyed', element)
    this.#activate()
  }

  #activate(): void {
    for (const [i, window] of this.#windows.entries()) this.change(window, { AXMain: i === 0 })
  }

  #focus(element: AxElement): void {
    for (const [other, { attributes }] of this.#held) if (attributes['AXFocused'] === true) this.change(other, { AXFocused: false })
    this.change(element, { AXFocused: true })
    this.#tell('AXFocusedUIElementChanged', element)
  }

  #select(element: AxElement): void {
    const { parent } = this.#get(element)
    for (const other of parent === undefined ? [] : this.#get(parent).children) this.change(other, { AXSelected: other === element })
  }

  #get(element: AxElement): Held {
    this.#mustBeTrusted()
    const held = this.#held.get(element)
    if (held === undefined) throw new AxError(AX_ERRORS.invalidElement)
    return held
  }

  #mustBeTrusted(): void {
    if (!this.isTrusted) throw new AxError(AX_ERRORS.apiDisabled)
  }

  #tell(notification: AxNotification, element: AxElement): void {
    for (const told of this.#observers) told(notification, element)
  }
}
