import { inspect, isDeepStrictEqual } from 'node:util'

/** A text that has this in it, for `toMatchObject`. */
export class TextWith {
  readonly part: string

  constructor(part: string) {
    this.part = part
  }
}

interface Checks {
  toBe(wanted: unknown): void
  toEqual(wanted: unknown): void
  /** Everything that is wanted is there; there may be more. */
  toMatchObject(wanted: unknown): void
  toContain(wanted: unknown): void
  toHaveLength(wanted: number): void
  toMatch(wanted: RegExp): void
  toBeDefined(): void
  toBeTypeOf(wanted: string): void
  toBeGreaterThan(wanted: number): void
  toBeLessThan(wanted: number): void
  toBeLessThanOrEqual(wanted: number): void
}

interface Expectation extends Checks {
  not: Checks
  rejects: { toMatchObject(wanted: unknown): Promise<void> }
}

/** What a check expects, in the words that vitest has for it: the suite also runs where there is no vitest. */
export function expect(actual: unknown, what?: string): Expectation {
  return {
    ...checks(actual, what, false),
    not: checks(actual, what, true),
    rejects: {
      async toMatchObject(wanted) {
        const thrown: unknown = await Promise.resolve(actual).then(
          (value) => unmet(what, `it was answered with ${show(value)}, and should have failed with ${show(wanted)}`),
          (error: unknown) => error,
        )
        if (!fits(thrown, wanted)) unmet(what, `it failed with ${show(thrown)}, and should have with ${show(wanted)}`)
      },
    },
  }
}

function checks(actual: unknown, what: string | undefined, isNot: boolean): Checks {
  const check = (holds: boolean, relation: string, wanted: unknown): void => {
    if (holds === isNot) unmet(what, `${show(actual)} should ${isNot ? 'not ' : ''}${relation} ${show(wanted)}`)
  }
  const number = typeof actual === 'number' ? actual : Number.NaN
  return {
    toBe: (wanted) => check(Object.is(actual, wanted), 'be', wanted),
    toEqual: (wanted) => check(isDeepStrictEqual(plain(actual), plain(wanted)), 'equal', wanted),
    toMatchObject: (wanted) => check(fits(actual, wanted), 'have', wanted),
    toContain: (wanted) => check(holds(actual, wanted), 'contain', wanted),
    toHaveLength: (wanted) => check(lengthOf(actual) === wanted, 'have the length', wanted),
    toMatch: (wanted) => check(typeof actual === 'string' && wanted.test(actual), 'match', wanted),
    toBeDefined: () => check(actual !== undefined, 'be', 'there'),
    toBeTypeOf: (wanted) => check(typeof actual === wanted, 'be a', wanted),
    toBeGreaterThan: (wanted) => check(number > wanted, 'be more than', wanted),
    toBeLessThan: (wanted) => check(number < wanted, 'be less than', wanted),
    toBeLessThanOrEqual: (wanted) => check(number <= wanted, 'be at most', wanted),
  }
}

function unmet(what: string | undefined, message: string): never {
  throw new Error(what === undefined ? message : `${what}: ${message}`)
}

function fits(actual: unknown, wanted: unknown): boolean {
  if (wanted instanceof TextWith) return typeof actual === 'string' && actual.includes(wanted.part)
  if (typeof wanted !== 'object' || wanted === null) return Object.is(actual, wanted)
  if (typeof actual !== 'object' || actual === null) return false
  if (Array.isArray(wanted) && (!Array.isArray(actual) || actual.length !== wanted.length)) return false
  return Object.entries(wanted).every(([name, value]) => fits(Reflect.get(actual, name), value))
}

function holds(actual: unknown, wanted: unknown): boolean {
  if (typeof actual === 'string') return typeof wanted === 'string' && actual.includes(wanted)
  if (actual instanceof Set) return actual.has(wanted)
  return Array.isArray(actual) && actual.includes(wanted)
}

function lengthOf(actual: unknown): unknown {
  return typeof actual === 'string'
    ? actual.length
    : typeof actual === 'object' && actual !== null && 'length' in actual
      ? actual.length
      : undefined
}

/** Without fields that are undefined, and bytes as an array of numbers. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, plain(inner)]])))
}

const show = (value: unknown): string =>
  value instanceof Error
    ? `${Reflect.get(value, 'code') ?? value.name}: ${value.message}`
    : inspect(value, { depth: 4, breakLength: Infinity }).slice(0, 300)
