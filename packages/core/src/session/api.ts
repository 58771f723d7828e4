import { DeskhandError } from '../errors.ts'
import {
  complaints,
  METHODS,
  type Handlers,
  type MethodContext,
  type MethodName,
  type MethodResult,
  type Principal,
} from '../model/index.ts'
import type { Turns } from './turns.ts'

/** What waits for a person, a change or the end of something; everything else of agents and viewers only looks. */
const WAITS: ReadonlySet<MethodName> = new Set<MethodName>(['call', 'hold', 'release', 'operations.result'])

/** Writes down that a method was refused; the error comes back to be thrown. */
type Reject = (method: string, who: Principal, error: DeskhandError) => Promise<DeskhandError>

/** The methods of a desktop for every face. Who may ask is settled here and nowhere else. */
export class Api<M extends MethodName> {
  readonly #handlers: Handlers<M>
  readonly #reject: Reject
  readonly #turns: Turns

  constructor(handlers: Handlers<M>, reject: Reject, turns: Turns) {
    this.#handlers = handlers
    this.#reject = reject
    this.#turns = turns
  }

  /** The same with more methods. */
  with<N extends MethodName>(more: Handlers<N>): Api<M | N> {
    return new Api<M | N>({ ...this.#handlers, ...more } as Handlers<M | N>, this.#reject, this.#turns)
  }

  get names(): readonly M[] {
    return Object.keys(this.#handlers) as M[]
  }

  async invoke<K extends M>(name: K, params: unknown, on: MethodContext): Promise<MethodResult<K>> {
    if (!Object.hasOwn(this.#handlers, name)) throw new DeskhandError('BAD_ARGS', `there is no method ${JSON.stringify(name)} here`)
    const { roles, params: schema } = METHODS[name]
    if (!roles.includes(on.who.role)) throw await this.#reject(name, on.who, unauthorized(name, roles, on.who))
    const read = schema.safeParse(params ?? {})
    if (!read.success)
      throw new DeskhandError('BAD_ARGS', `${name}: ${complaints(read.error.issues, params ?? {}, Object.keys(schema.shape)).join('; ')}`)
    const carryOut = (): MethodResult<K> | Promise<MethodResult<K>> => this.#handlers[name](read.data as never, on)
    if (!WAITS.has(name)) return this.#turns.look(on.who, on.signal, carryOut)
    await this.#turns.begin(on.who)
    return carryOut()
  }
}

const unauthorized = (name: string, roles: readonly string[], who: Principal): DeskhandError =>
  new DeskhandError(
    'UNAUTHORIZED',
    `${name} is for ${roles.join(' and ')}; ${who.id} is ${who.role === 'viewer' ? 'a viewer' : `an ${who.role}`}`,
  )
