import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { DeskhandError, schemaProblem } from '@deskhand/core/errors'
import { checkOwnerOnly, isOwn } from '@deskhand/core/platform'
import { createRedactor, type Redactor, type Secret } from '@deskhand/core/redaction'
import type { TargetFacts } from '@deskhand/core/model'
import { Binding, mustBeBound } from './binding.ts'

const COMMAND_MS = 10_000

/** One secret: where its value comes from, and where it may be typed. */
const Entry = z
  .strictObject({
    value: z.string().optional(),
    env: z.string().optional(),
    /** A program and its arguments; its first line of output is the value. */
    command: z.array(z.string()).min(1).optional(),
    ...Binding.shape,
  })
  .refine((e) => [e.value, e.env, e.command].filter((v) => v !== undefined).length === 1, 'needs exactly one of value, env and command')
const File = z.record(z.string().regex(/^[\w.-]{1,60}$/), Entry)

/** The operator's secrets. Agents know their names only; values are typed where they are bound to, and filtered from all that leaves. */
export class Secrets {
  readonly #entries: z.output<typeof File>
  readonly #known = new Map<string, string>()
  readonly #key: Buffer
  /** Secrets that were typed where they can be selected and copied, so that parts of them may turn up. */
  readonly #exposed = new Set<string>()
  #redactor: Redactor

  /** `key` makes commitments and digests comparable after a restart; without one they live as long as this object. */
  constructor(file: string, key: Buffer = randomBytes(32)) {
    this.#entries = load(file)
    this.#key = key
    for (const [name, { value, env }] of Object.entries(this.#entries)) {
      const given = value ?? (env === undefined ? undefined : process.env[env])
      if (given !== undefined) this.#known.set(name, given)
    }
    this.#redactor = this.#build()
  }

  /** Always filters every value that is known by now. */
  readonly redactor: Redactor = {
    commit: (text, field) => this.#redactor.commit(text, field),
    digest: (value) => this.#redactor.digest(value),
    text: (text) => this.#redactor.text(text),
    // Most desktops have no secrets, and then nothing needs copying.
    value: (value) => (this.#known.size === 0 ? value : this.#redactor.value(value)),
  }

  /** The value, for a target that it is bound to. */
  async reveal(name: string, target: TargetFacts | undefined): Promise<string> {
    const entry = Object.hasOwn(this.#entries, name) ? this.#entries[name] : undefined
    if (entry === undefined) throw new DeskhandError('UNKNOWN_SECRET', `no secret ${name} is known here`)
    mustBeBound(name, entry, target)
    const value = this.#known.get(name) ?? (await this.#ask(name, entry.command))
    if (target?.states?.password !== true && !this.#exposed.has(name)) {
      this.#exposed.add(name)
      this.#redactor = this.#build()
    }
    return value
  }

  /** An environment without variables that hold one of the values known so far, or are named as the place of one. */
  withoutSecrets(env: NodeJS.ProcessEnv, also: readonly (string | undefined)[] = []): NodeJS.ProcessEnv {
    const places = new Set([...Object.values(this.#entries).map((entry) => entry.env), ...also])
    const values = [...this.#known.values(), ...also.flatMap((name) => (name === undefined ? [] : (env[name] ?? [])))]
    const isSafe = ([name, text = '']: [string, string | undefined]): boolean =>
      !places.has(name) && !values.some((value) => text.includes(value))
    return Object.fromEntries(Object.entries(env).filter(isSafe))
  }

  async #ask(name: string, command: readonly string[] | undefined): Promise<string> {
    const [program, ...args] = command ?? []
    if (program === undefined) throw new DeskhandError('UNKNOWN_SECRET', `the environment variable for the secret ${name} is not set`)
    try {
      const { stdout } = await promisify(execFile)(program, args, { timeout: COMMAND_MS, encoding: 'utf8' })
      const value = stdout.split('\n')[0] ?? ''
      this.#known.set(name, value)
      this.#redactor = this.#build()
      return value
    } catch {
      // The program's own words may hold the secret.
      throw new DeskhandError('UNKNOWN_SECRET', `the command for the secret ${name} failed`)
    }
  }

  #build(): Redactor {
    const secrets: Secret[] = [...this.#known].flatMap(([name, value]) =>
      (this.#exposed.has(name) ? [value, ...parts(value)] : [value]).map((text) => ({ name, value: text })),
    )
    return createRedactor({ secrets, key: this.#key })
  }
}

const SHORTEST_PART = 4
const LONGEST_WHOLE = 48

/** The parts of a value that tell most of it: from half of its length on. */
function parts(value: string): string[] {
  const chars = [...value]
  const shortest = Math.max(SHORTEST_PART, Math.ceil(chars.length / 2))
  const longest = chars.length > LONGEST_WHOLE ? shortest : chars.length - 1
  const found: string[] = []
  for (let length = shortest; length <= longest; length++)
    for (let at = 0; at + length <= chars.length; at++) found.push(chars.slice(at, at + length).join(''))
  return found
}

function load(file: string): z.output<typeof File> {
  if (!existsSync(file)) return {}
  const stat = statSync(file)
  checkOwnerOnly(file, stat)
  if (!isOwn(stat)) throw new DeskhandError('BAD_CONFIG', `${file} belongs to another user.`, { next: `Run: chown "$USER" ${file}` })
  const read = File.safeParse(toml(file))
  if (read.success) return read.data
  throw new DeskhandError('BAD_CONFIG', `${file}: ${schemaProblem(read.error, 'the file')}`, {
    next: `Correct ${file} at the named field.`,
  })
}

function toml(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch {
    // The parser's message quotes the line, and with it the secret.
    throw new DeskhandError('BAD_CONFIG', `${file} is no TOML`, { next: `Correct ${file}.` })
  }
}
