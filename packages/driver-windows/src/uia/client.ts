import type { Rect } from '@deskhand/core/model'
import {
  call,
  clear,
  ComError,
  createObject,
  must,
  objectFrom,
  plainOf,
  type Pointer,
  release,
  takeText,
  VARIANT,
  withText,
} from '../com/com.ts'
import {
  ARRAY,
  AUTOMATION,
  BOUNDING_RECTANGLE,
  CLASS,
  ELEMENT,
  INTERFACE,
  PATTERN,
  PROPERTY,
  type PropertyName,
  REQUEST,
  SCOPE,
  TEXT_RANGE,
} from './interfaces.ts'

/** An element as UI Automation tells of it. The first of a window is the window itself. */
export interface UiaElement {
  /** Its runtime id, numbers with dots between them; its place where it has none. */
  id: string
  /** Which of the elements before it holds it. */
  parent: number
  bounds?: Rect
  facts: Partial<Record<PropertyName, string | number | boolean>>
  /** What it shows, where that is a document and no value. */
  text?: string
}

export interface UiaTree {
  elements: UiaElement[]
  /** Why it is not all, with the answer that was given. */
  gaps: string[]
}

export type UiaStep =
  | { do: 'press' | 'focus' | 'expand' | 'collapse' | 'select' | 'reveal' }
  | { do: 'setText'; text: string }
  | { do: 'setValue'; value: number }

/** More of a window is not read, and of a document no longer text, nor of more documents. */
const MOST = 10_000
const LONGEST = 100_000
const DOCUMENTS = 8
const E_NOTIMPL = 0x80004001
/** What is read where each property of each element is a round trip of its own, as on Wine, which has no patterns either. */
const BASIC = ['runtimeId', 'controlType', 'name', 'enabled', 'automationId', 'password'] as const satisfies readonly PropertyName[]

/** UI Automation in this process. Each call may block for as long as the application behind a window does. */
export class UiaClient {
  readonly #automation = createObject('CoCreateInstance(CUIAutomation)', CLASS, INTERFACE)
  readonly #condition = objectFrom('get_ControlViewCondition', this.#automation, AUTOMATION.ControlViewCondition)
  readonly #single = this.#request(BASIC.map((name) => PROPERTY[name]))
  readonly #subtree = this.#request(Object.values(PROPERTY))
  readonly #hasSubtrees: boolean
  /** The elements of the last read of each window, by their id. */
  readonly #known = new Map<number, Map<string, Pointer>>()

  constructor() {
    this.#hasSubtrees = call(this.#subtree, REQUEST.PutTreeScope, 'i', SCOPE.SUBTREE) >= 0
  }

  #request(properties: readonly number[]): Pointer {
    const request = objectFrom('CreateCacheRequest', this.#automation, AUTOMATION.CreateCacheRequest)
    for (const property of [BOUNDING_RECTANGLE, ...properties])
      must(`AddProperty(${property})`, call(request, REQUEST.AddProperty, 'i', property))
    return request
  }

  /** A window and all in it, in one round trip, or in one for each element where a subtree cannot be had at once. Closed windows are let go of. */
  read(window: number, open: readonly number[]): UiaTree {
    for (const known of this.#known.keys()) if (!open.includes(known)) this.#forget(known)
    const tree: UiaTree = { elements: [], gaps: [] }
    this.#forget(window)
    const known = new Map<string, Pointer>()
    this.#known.set(window, known)
    const root = objectFrom('ElementFromHandle', this.#automation, AUTOMATION.ElementFromHandle, 'q', window)
    try {
      const request = this.#hasSubtrees ? this.#subtree : this.#single
      this.#add(tree, known, objectFrom('BuildUpdatedCache', root, ELEMENT.BuildUpdatedCache, 'p', request), -1, '0')
    } finally {
      release(root)
    }
    return tree
  }

  #add(tree: UiaTree, known: Map<string, Pointer>, element: Pointer, parent: number, place: string): void {
    const found = describe(element, parent, place)
    if (known.has(found.id)) found.id = place
    known.set(found.id, element)
    const at = tree.elements.push(found) - 1
    this.#addText(tree, element, found)
    const children = this.#children(element)
    if (children === 0n) return
    const length = Buffer.alloc(4)
    must('get_Length', call(children, ARRAY.Length, 'p', length))
    for (let i = 0; i < length.readInt32LE(0) && tree.elements.length < MOST; i++)
      this.#add(tree, known, objectFrom('GetElement', children, ARRAY.GetElement, 'i', i), at, `${place}/${i}`)
    release(children)
    if (tree.elements.length >= MOST) tree.gaps = [`only ${MOST} elements of a window are read`]
  }

  #children(element: Pointer): Pointer {
    if (this.#hasSubtrees) return objectFrom('GetCachedChildren', element, ELEMENT.GetCachedChildren)
    return objectFrom('FindAllBuildCache', element, ELEMENT.FindAllBuildCache, 'ipp', SCOPE.CHILDREN, this.#condition, this.#single)
  }

  /** The text of a document is no property: it takes a call of its own. */
  #addText(tree: UiaTree, element: Pointer, found: UiaElement): void {
    if (found.facts.hasText !== true || found.facts.hasValue === true || found.facts.password === true) return
    if (tree.elements.filter(({ text }) => text !== undefined).length >= DOCUMENTS) return
    const pattern = patternOf(element, PATTERN.text.id)
    const range = objectFrom('get_DocumentRange', pattern, PATTERN.text.DocumentRange)
    found.text = takeText(objectFrom('GetText', range, TEXT_RANGE.GetText, 'i', LONGEST))
    release(range)
    release(pattern)
  }

  /** Has an element of the last read do something. Says which method was called. */
  act(window: number, id: string, step: UiaStep): string {
    const element = this.#known.get(window)?.get(id)
    if (element === undefined) throw new ComError('the element', ELEMENT_GONE)
    const run = (pattern: { id: number }, slot: number, what: string, letters = '', ...args: (bigint | number)[]): string => {
      const object = patternOf(element, pattern.id)
      must(what, call(object, slot, letters, ...args))
      release(object)
      return what
    }
    switch (step.do) {
      case 'focus':
        must('SetFocus', call(element, ELEMENT.SetFocus))
        return 'SetFocus'
      case 'press':
        return press(element, run)
      case 'expand':
        return run(PATTERN.expand, PATTERN.expand.Expand, 'ExpandCollapse.Expand')
      case 'collapse':
        return run(PATTERN.expand, PATTERN.expand.Collapse, 'ExpandCollapse.Collapse')
      case 'select':
        return run(PATTERN.selectionItem, PATTERN.selectionItem.Select, 'SelectionItem.Select')
      case 'reveal':
        return run(PATTERN.scrollItem, PATTERN.scrollItem.ScrollIntoView, 'ScrollItem.ScrollIntoView')
      case 'setText':
        return withText(step.text, (text) => run(PATTERN.value, PATTERN.value.SetValue, 'Value.SetValue', 'p', text))
      case 'setValue':
        return run(PATTERN.range, PATTERN.range.SetValue, 'RangeValue.SetValue', 'd', step.value)
      default:
        return step satisfies never
    }
  }

  /** Lets go of what was read of a window. */
  #forget(window: number): void {
    for (const element of this.#known.get(window)?.values() ?? []) release(element)
    this.#known.delete(window)
  }
}

export const ELEMENT_GONE = 0x80040201

type Run = (pattern: { id: number }, slot: number, what: string) => string

function press(element: Pointer, run: Run): string {
  const can = (property: number): boolean => factOf(element, property) === true
  if (can(PROPERTY.canInvoke)) return run(PATTERN.invoke, PATTERN.invoke.Invoke, 'Invoke.Invoke')
  if (can(PROPERTY.canToggle)) return run(PATTERN.toggle, PATTERN.toggle.Toggle, 'Toggle.Toggle')
  return run(PATTERN.selectionItem, PATTERN.selectionItem.Select, 'SelectionItem.Select')
}

function patternOf(element: Pointer, id: number): Pointer {
  const pattern = objectFrom(`GetCurrentPattern(${id})`, element, ELEMENT.GetCurrentPattern, 'i', id)
  if (pattern === 0n) throw new ComError(`GetCurrentPattern(${id})`, E_NOTIMPL)
  return pattern
}

function describe(element: Pointer, parent: number, place: string): UiaElement {
  const facts: UiaElement['facts'] = {}
  let id = place
  // What a password field holds is not asked for.
  const isSecret = factOf(element, PROPERTY.password) === true
  for (const [name, property] of Object.entries(PROPERTY) as [PropertyName, number][]) {
    if (name === 'value' && isSecret) continue
    const value = factOf(element, property)
    if (name === 'runtimeId') id = typeof value === 'object' && 'join' in value && value.length > 0 ? value.join('.') : place
    else if (value !== undefined && typeof value !== 'object') facts[name] = value
  }
  const rect = Buffer.alloc(16)
  const isPlaced = call(element, ELEMENT.CachedBoundingRectangle, 'p', rect) >= 0
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => rect.readInt32LE(at)) as [number, number, number, number]
  const bounds = { x: left, y: top, w: right - left, h: bottom - top }
  return { id, parent, facts, ...(isPlaced && bounds.w > 0 && bounds.h > 0 && { bounds }) }
}

/** A property that was read with its element; undefined for one that the element does not have. */
function factOf(element: Pointer, property: number): ReturnType<typeof plainOf> {
  const variant = Buffer.alloc(VARIANT)
  if (call(element, ELEMENT.GetCachedPropertyValueEx, 'iip', property, 1, variant) < 0) return undefined
  const value = plainOf(variant)
  clear(variant)
  return typeof value === 'object' && 'object' in value ? undefined : value
}
