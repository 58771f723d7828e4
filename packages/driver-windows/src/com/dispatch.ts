import koffi from 'koffi'
import {
  call,
  clear,
  ComError,
  guid,
  must,
  newText,
  plainOf,
  type Plain,
  pointerIn,
  type Pointer,
  release,
  VARIANT,
  variantsOf,
} from './com.ts'

const IDISPATCH = guid('00020400-0000-0000-c000-000000000046')
const NOBODY = Buffer.alloc(16)
const [GET_IDS, INVOKE] = [5, 6]
const [GET_OR_CALL, PUT] = [3, 4]
const PROPERTY_PUT = -3
const [UNKNOWN_NAME, EXCEPTION, EXCEPTION_SIZE] = [0x80020006, 0x80020009, 64]

const VARIANTS = 0x200c
/** What methods take. */
type Argument = string | number | readonly string[]

/** The numbers of members by the kind of their object. */
const KINDS = new Map<string, Map<string, number | ComError>>()

const ole32 = koffi.load('ole32.dll')
const getObject = ole32.func('int32 __stdcall CoGetObject(str16 name, void *options, void *iid, void *out)') as (
  name: string,
  options: null,
  iid: Buffer,
  out: Buffer,
) => number

/** An object of a program that lets itself be scripted. */
export class Scripted {
  readonly #object: Pointer
  #ids = new Map<string, number | ComError>()

  constructor(object: Pointer) {
    this.#object = object
  }

  /** Says of which kind the object is: what one of a kind knows, or does not know, is asked once for all of them. */
  as(kind: string): this {
    const known = KINDS.get(kind)
    if (known === undefined) KINDS.set(kind, this.#ids)
    else this.#ids = known
    return this
  }

  /** The object that a running program has registered under a name; throws what was answered. What kinds know may be otherwise in this program. */
  static running(name: string): Scripted {
    KINDS.clear()
    const out = Buffer.alloc(8)
    must(`CoGetObject(${name})`, getObject(name, null, IDISPATCH, out))
    return new Scripted(pointerIn(out))
  }

  /** A property, or what a method answers. */
  get(name: string, ...args: Argument[]): Plain | Scripted {
    const result = Buffer.alloc(VARIANT)
    this.#invoke(name, GET_OR_CALL, args, result)
    const value = plainOf(result)
    // An object is kept until it is released; a text was copied.
    if (typeof value === 'object' && 'object' in value) return new Scripted(value.object)
    clear(result)
    return value
  }

  /** An object that is one; throws where there is none. */
  child(name: string, ...args: Argument[]): Scripted {
    const found = this.get(name, ...args)
    if (found instanceof Scripted) return found
    throw new ComError(name, 0x80004002)
  }

  text(name: string, ...args: Argument[]): string {
    const value = this.get(name, ...args)
    return typeof value === 'string' ? value : ''
  }

  number(name: string, ...args: Argument[]): number {
    const value = this.get(name, ...args)
    return typeof value === 'number' ? value : 0
  }

  truth(name: string, ...args: Argument[]): boolean {
    const value = this.get(name, ...args)
    return value === true || (typeof value === 'number' && value !== 0)
  }

  /** The same questions, with an answer for objects that do not know them. */
  maybe<T>(ask: (object: this) => T, otherwise: T): T {
    try {
      return ask(this)
    } catch (error) {
      if (error instanceof ComError) return otherwise
      throw error
    }
  }

  put(name: string, value: string | number | boolean): void {
    this.#invoke(name, PUT, [value], null)
  }

  free(): void {
    release(this.#object)
  }

  #invoke(name: string, flags: number, args: (Argument | boolean)[], result: Buffer | null): void {
    // Arguments stand in reverse.
    const values = Buffer.concat(args.toReversed().map(variantOf))
    const parameters = Buffer.alloc(24)
    if (args.length > 0) parameters.writeBigUInt64LE(koffi.address(values), 0)
    parameters.writeUInt32LE(args.length, 16)
    const named = Buffer.alloc(4)
    named.writeInt32LE(PROPERTY_PUT, 0)
    if (flags === PUT) {
      parameters.writeBigUInt64LE(koffi.address(named), 8)
      parameters.writeUInt32LE(1, 20)
    }
    const exception = Buffer.alloc(EXCEPTION_SIZE)
    const answer = call(this.#object, INVOKE, 'ipiipppp', this.#id(name), NOBODY, 0, flags, parameters, result, exception, Buffer.alloc(8))
    args.forEach((_, i) => clear(values.subarray(i * VARIANT, (i + 1) * VARIANT)))
    if (answer >>> 0 === EXCEPTION) throw new ComError(`${name} failed and`, exception.readInt32LE(56) || answer)
    must(name, answer)
  }

  #id(name: string): number {
    const known = this.#ids.get(name)
    if (known instanceof ComError) throw known
    if (known !== undefined) return known
    const [text, names, id] = [Buffer.from(`${name}\0`, 'utf16le'), Buffer.alloc(8), Buffer.alloc(4)]
    names.writeBigUInt64LE(koffi.address(text), 0)
    const answer = call(this.#object, GET_IDS, 'ppiip', NOBODY, names, 1, 0, id)
    if (answer >>> 0 === UNKNOWN_NAME) this.#ids.set(name, new ComError(name, answer))
    must(name, answer)
    this.#ids.set(name, id.readInt32LE(0))
    return id.readInt32LE(0)
  }
}

/** A list of texts is an array of variants, as scripts pass them. */
function variantOf(value: Argument | boolean): Buffer {
  const variant = Buffer.alloc(VARIANT)
  if (typeof value === 'string') {
    variant.writeUInt16LE(8, 0)
    variant.writeBigUInt64LE(BigInt(newText(value)), 8)
  } else if (typeof value === 'object') {
    variant.writeUInt16LE(VARIANTS, 0)
    variant.writeBigUInt64LE(variantsOf(value.map(variantOf)), 8)
  } else if (typeof value === 'boolean') {
    variant.writeUInt16LE(11, 0)
    variant.writeInt16LE(value ? -1 : 0, 8)
  } else {
    variant.writeUInt16LE(3, 0)
    variant.writeInt32LE(value, 8)
  }
  return variant
}
