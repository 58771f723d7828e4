import type { Rect } from '@deskhand/core/model'
import koffi from 'koffi'
import { call, clear, ComError, guid, must, plainOf, type Pointer, pointerIn, release, takeText, VARIANT, withText } from '../com/com.ts'

const oleacc = koffi.load('oleacc.dll')
const objectOf = oleacc.func('int32 __stdcall AccessibleObjectFromWindow(int64 h, uint32 which, void *iid, void *out)') as (
  h: number,
  which: number,
  iid: Buffer,
  out: Buffer,
) => number
const childrenOf = oleacc.func('int32 __stdcall AccessibleChildren(void *object, int32 from, int32 n, void *variants, void *got)') as (
  object: Pointer,
  from: number,
  n: number,
  variants: Buffer,
  got: Buffer,
) => number

const ACCESSIBLE = guid('618736e0-3c3d-11cf-810c-00aa00389b71')
const CLIENT = 0xfffffffc
/** Places of methods in the table of IAccessible. */
const AT = {
  Count: 8,
  Name: 10,
  Value: 11,
  Description: 12,
  Role: 13,
  State: 14,
  Action: 20,
  Select: 21,
  Location: 22,
  DoAction: 25,
  PutValue: 27,
}
const [NUMBER, DISPATCH] = [3, 9]
const [TAKES_FOCUS, TAKES_SELECTION] = [1, 2]
const PROTECTED = 0x20000000
const MOST = 2000
const DEEPEST = 12

/** By what an element is found again: places alone may be another's by then. */
export interface MsaaMark {
  /** Its places from the window downwards. */
  path: string
  role: number
  name: string
}

/** An element as Microsoft Active Accessibility tells of it. */
export interface MsaaElement extends MsaaMark {
  parent: number
  state: number
  value: string
  description: string
  action: string
  bounds?: Rect
}

export type MsaaStep = { do: 'press' | 'focus' | 'select' } | { do: 'setText'; text: string }

/** An object of its own, or one that its parent answers for by a number. */
interface Accessible {
  object: Pointer
  self: Buffer
  isOwn: boolean
}

/** MSAA in this process. Each call may block for as long as the application does. */
export class MsaaClient {
  readonly #known = new Map<number, Map<string, Accessible>>()

  /** What is inside a control or window; nothing where its application tells nothing. Closed ones are let go of. */
  read(window: number, open: readonly number[]): MsaaElement[] {
    for (const known of this.#known.keys()) if (!open.includes(known)) this.#forget(known)
    this.#forget(window)
    const known = new Map<string, Accessible>()
    this.#known.set(window, known)
    const out = Buffer.alloc(8)
    must('AccessibleObjectFromWindow', objectOf(window, CLIENT, ACCESSIBLE, out))
    const elements: MsaaElement[] = []
    const root = { object: pointerIn(out), self: numbered(0), isOwn: true }
    known.set('', root)
    this.#below(root, '', -1, elements, known)
    return elements
  }

  #below({ object }: Accessible, path: string, parent: number, elements: MsaaElement[], known: Map<string, Accessible>, depth = 0): void {
    const count = Buffer.alloc(4)
    if (depth > DEEPEST || call(object, AT.Count, 'p', count) < 0) return
    const most = Math.min(count.readInt32LE(0), MOST - elements.length)
    if (most <= 0) return
    const variants = Buffer.alloc(VARIANT * most)
    if (childrenOf(object, 0, most, variants, count) < 0) return
    for (let at = 0; at < count.readInt32LE(0); at++) {
      const child = childIn(object, variants.subarray(at * VARIANT, (at + 1) * VARIANT))
      if (child === undefined) continue
      const place = path === '' ? String(at) : `${path}.${at}`
      known.set(place, child)
      const index = elements.push(describe(child, place, parent)) - 1
      if (child.isOwn) this.#below(child, place, index, elements, known, depth + 1)
    }
  }

  /** Has an element of the last read do something, if it still is what was meant. Says which method was called. */
  act(window: number, { path, role, name }: MsaaMark, step: MsaaStep): string {
    const found = this.#known.get(window)?.get(path)
    if (found === undefined || numberOf(found, AT.Role) !== role || textOf(found, AT.Name) !== name) throw new ComError('the element', GONE)
    const { object, self } = found
    switch (step.do) {
      case 'press':
        must('accDoDefaultAction', call(object, AT.DoAction, 'p', self))
        return 'accDoDefaultAction'
      case 'focus':
      case 'select':
        must('accSelect', call(object, AT.Select, 'ip', step.do === 'focus' ? TAKES_FOCUS : TAKES_SELECTION, self))
        return 'accSelect'
      case 'setText':
        withText(step.text, (text) => must('put_accValue', call(object, AT.PutValue, 'pp', self, text)))
        return 'put_accValue'
      default:
        return step satisfies never
    }
  }

  #forget(window: number): void {
    for (const { object, isOwn } of this.#known.get(window)?.values() ?? []) if (isOwn) release(object)
    this.#known.delete(window)
  }
}

/** What COM says of objects whose element is no longer there. */
const GONE = 0x80040201

/** A number among the children of an object. */
function numbered(child: number): Buffer {
  const variant = Buffer.alloc(VARIANT)
  variant.writeUInt16LE(NUMBER, 0)
  variant.writeInt32LE(child, 8)
  return variant
}

function childIn(parent: Pointer, variant: Buffer): Accessible | undefined {
  const kind = variant.readUInt16LE(0)
  if (kind === NUMBER) return { object: parent, self: numbered(variant.readInt32LE(8)), isOwn: false }
  const out = Buffer.alloc(8)
  const isObject = kind === DISPATCH && call(pointerIn(variant, 8), 0, 'pp', ACCESSIBLE, out) >= 0
  clear(variant)
  return !isObject ? undefined : { object: pointerIn(out), self: numbered(0), isOwn: true }
}

function textOf({ object, self }: Accessible, slot: number): string {
  const out = Buffer.alloc(8)
  return call(object, slot, 'pp', self, out) === 0 ? takeText(pointerIn(out)) : ''
}

function numberOf({ object, self }: Accessible, slot: number): number {
  const out = Buffer.alloc(VARIANT)
  if (call(object, slot, 'pp', self, out) !== 0) return 0
  const value = plainOf(out)
  clear(out)
  return typeof value === 'number' ? value : 0
}

function describe(element: Accessible, path: string, parent: number): MsaaElement {
  const { object, self } = element
  const state = numberOf(element, AT.State)
  const [x, y, w, h] = [4, 4, 4, 4].map((size) => Buffer.alloc(size)) as [Buffer, Buffer, Buffer, Buffer]
  const isPlaced = call(object, AT.Location, 'ppppp', x, y, w, h, self) === 0 && w.readInt32LE(0) > 0 && h.readInt32LE(0) > 0
  const bounds = { x: x.readInt32LE(0), y: y.readInt32LE(0), w: w.readInt32LE(0), h: h.readInt32LE(0) }
  return {
    path,
    parent,
    role: numberOf(element, AT.Role),
    state,
    name: textOf(element, AT.Name),
    // What a password field holds is not asked for.
    value: (state & PROTECTED) === 0 ? textOf(element, AT.Value) : '',
    description: textOf(element, AT.Description),
    action: textOf(element, AT.Action),
    ...(isPlaced && { bounds }),
  }
}
