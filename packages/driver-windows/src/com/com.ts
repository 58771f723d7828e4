import koffi, { type TypeObject } from 'koffi'
import { prepareForWine } from '../win32/library.ts'

prepareForWine()

/** A COM object or memory, by its address. */
export type Pointer = bigint
type Argument = number | bigint | Buffer | null

const ole32 = koffi.load('ole32.dll')
const oleaut32 = koffi.load('oleaut32.dll')

const initialize = ole32.func('int32 __stdcall CoInitializeEx(void *reserved, uint32 model)') as (r: null, model: number) => number
const create = ole32.func('int32 __stdcall CoCreateInstance(void *cls, void *outer, uint32 context, void *iid, void *out)') as (
  ...args: (Buffer | null | number)[]
) => number
const guidFrom = ole32.func('int32 __stdcall CLSIDFromString(str16 text, void *guid)') as (text: string, guid: Buffer) => number
const allocString = oleaut32.func('void *__stdcall SysAllocString(str16 text)') as (text: string) => Pointer
const freeString = oleaut32.func('void __stdcall SysFreeString(void *text)') as (text: Pointer) => void
const stringLength = oleaut32.func('uint32 __stdcall SysStringLen(void *text)') as (text: Pointer) => number
const clearVariant = oleaut32.func('int32 __stdcall VariantClear(void *variant)') as (variant: Buffer) => number
const upperBound = oleaut32.func('int32 __stdcall SafeArrayGetUBound(void *array, uint32 dimension, void *bound)') as (
  array: Pointer,
  dimension: number,
  bound: Buffer,
) => number
const elementOf = oleaut32.func('int32 __stdcall SafeArrayGetElement(void *array, void *at, void *value)') as (
  array: Pointer,
  at: Buffer,
  value: Buffer,
) => number

const createVector = oleaut32.func('void *__stdcall SafeArrayCreateVector(uint16 type, int32 from, uint32 size)') as (
  type: number,
  from: number,
  size: number,
) => Pointer
const putElement = oleaut32.func('int32 __stdcall SafeArrayPutElement(void *array, void *at, void *value)') as (
  array: Pointer,
  at: Buffer,
  value: Buffer,
) => number

/** An answer of COM that is a failure. */
export class ComError extends Error {
  readonly result: number

  constructor(what: string, result: number) {
    super(`${what} answered ${hex(result)}`)
    this.result = result >>> 0
  }
}

export const hex = (result: number): string => `0x${(result >>> 0).toString(16).padStart(8, '0')}`

export function must(what: string, result: number): void {
  if (result < 0) throw new ComError(what, result)
}

/** COM in this thread, in the apartment of all threads: nothing here has to pump messages while it waits. */
export function startCom(): void {
  must('CoInitializeEx', initialize(null, 0))
}

export function guid(text: string): Buffer {
  const bytes = Buffer.alloc(16)
  must('CLSIDFromString', guidFrom(`{${text}}`, bytes))
  return bytes
}

const IN_PROCESS = 1

export function createObject(what: string, classId: string, interfaceId: string): Pointer {
  const out = Buffer.alloc(8)
  must(what, create(guid(classId), null, IN_PROCESS, guid(interfaceId), out))
  return pointerIn(out)
}

export const pointerIn = (b: Buffer, at = 0): Pointer => b.readBigUInt64LE(at)

const TYPES: Readonly<Record<string, string>> = { p: 'void *', i: 'int32', q: 'int64', d: 'double' }
const shapes = new Map<string, TypeObject>()

function shapeOf(letters: string): TypeObject {
  const known = shapes.get(letters)
  if (known !== undefined) return known
  const parameters = [...letters].map((letter) => TYPES[letter] ?? 'void *')
  const shape = koffi.proto('__stdcall', null, 'int32', ['void *', ...parameters])
  shapes.set(letters, shape)
  return shape
}

/** Calls a method by its place in the table of an object. Letters: p memory or an object, i a number, q a long one, d a fraction. */
export function call(object: Pointer, slot: number, letters = '', ...args: Argument[]): number {
  const table = koffi.decode(object, 'void *') as Pointer
  const method = koffi.decode(table + BigInt(slot * 8), 'void *') as Pointer
  return koffi.call(method, shapeOf(letters), object, ...args) as number
}

/** A method whose last parameter receives an object; 0n where there is none. */
export function objectFrom(what: string, object: Pointer, slot: number, letters = '', ...args: Argument[]): Pointer {
  const out = Buffer.alloc(8)
  must(what, call(object, slot, `${letters}p`, ...args, out))
  return pointerIn(out)
}

export function release(object: Pointer): void {
  if (object !== 0n) call(object, 2)
}

/** The text at an address that COM keeps texts at; it stays whose it was. */
export function textAt(text: Pointer): string {
  const length = text === 0n ? 0 : stringLength(text)
  return length === 0 ? '' : Buffer.from(koffi.view(text, 2 * length)).toString('utf16le')
}

/** Gives a method a text of COM's for the time of its call. */
export function withText<T>(text: string, use: (text: Pointer) => T): T {
  const memory = allocString(text)
  try {
    return use(memory)
  } finally {
    freeString(memory)
  }
}

export function takeText(text: Pointer): string {
  const words = textAt(text)
  if (text !== 0n) freeString(text)
  return words
}

export const newText = (text: string): Pointer => allocString(text)

export const VARIANT = 24
const VT = { I2: 2, I4: 3, R4: 4, R8: 5, TEXT: 8, DISPATCH: 9, BOOL: 11, UNKNOWN: 13, NUMBERS: 0x2003 }

export type Plain = string | number | boolean | readonly number[] | { object: Pointer } | undefined

/** What a VARIANT holds; undefined for kinds without meaning here. Its memory stays. */
export function plainOf(variant: Buffer): Plain {
  switch (variant.readUInt16LE(0)) {
    case VT.I2:
      return variant.readInt16LE(8)
    case VT.I4:
      return variant.readInt32LE(8)
    case VT.R4:
      return variant.readFloatLE(8)
    case VT.R8:
      return variant.readDoubleLE(8)
    case VT.BOOL:
      return variant.readInt16LE(8) !== 0
    case VT.TEXT:
      return textAt(pointerIn(variant, 8))
    case VT.DISPATCH:
    case VT.UNKNOWN:
      return pointerIn(variant, 8) === 0n ? undefined : { object: pointerIn(variant, 8) }
    case VT.NUMBERS:
      return numbersIn(pointerIn(variant, 8))
    default:
      return undefined
  }
}

/** An array of variants, which are copied into it and let go of. */
export function variantsOf(values: readonly Buffer[]): Pointer {
  const array = createVector(12, 0, values.length)
  values.forEach((value, i) => {
    const at = Buffer.alloc(4)
    at.writeInt32LE(i, 0)
    must('SafeArrayPutElement', putElement(array, at, value))
    clear(value)
  })
  return array
}

export const clear = (variant: Buffer): void => void clearVariant(variant)

function numbersIn(array: Pointer): number[] {
  const [bound, at, value] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(8)]
  if (array === 0n || upperBound(array, 1, bound) < 0) return []
  return Array.from({ length: bound.readInt32LE(0) + 1 }, (_, i) => {
    at.writeInt32LE(i, 0)
    elementOf(array, at, value)
    return value.readInt32LE(0)
  })
}
