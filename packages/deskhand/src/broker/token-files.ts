import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, PrincipalRole } from '@deskhand/core/model'
import { writeOwnerOnly } from '@deskhand/core/platform'
import type { Authenticator } from './authenticator.ts'

/** 32 random bytes have 43 characters. */
const SHORTEST_TOKEN = 43
const DIGEST_BYTES = 32
const ID = /^[\w-]{1,60}$/
/** From the least power to the most. */
const RANKS: readonly PrincipalRole[] = ['viewer', 'agent', 'operator']

const DIGEST = 'sha256:'
/** Who programs of the owner are by their word alone, over a socket that only the owner can open. */
const LOCAL: Readonly<Record<string, PrincipalRole>> = { agent: 'agent', operator: 'operator' }

interface TokenFile {
  digest: Buffer
  /** Undefined when a newer version wrote a role that this one does not know: it gives nothing. */
  role: PrincipalRole | undefined
  /** Whether the token itself stands there, as earlier versions wrote it. */
  isPlain: boolean
}

/**
 * Principals by secret tokens, one file each. The file's name is the principal's id, its first line the digest of the token, its second the role.
 * Without a second line, as in files of version 0.1.0, `operator` is the operator and any other id an agent.
 */
export class TokenFiles implements Authenticator {
  readonly dir: string

  constructor(dir: string) {
    this.dir = dir
  }

  file(id: string): string {
    if (!ID.test(id)) throw new DeskhandError('BAD_ARGS', `${JSON.stringify(id)} is no name of a principal`)
    return join(this.dir, id)
  }

  /** Who a program of the owner is under this name: of the two that need no token, or one whose token is kept here. */
  local(id: string): Principal | undefined {
    const role = Object.hasOwn(LOCAL, id) ? LOCAL[id] : this.#read(id)?.role
    return role && { id, role }
  }

  /** A new token, told this once; an earlier one of this id is good no longer. */
  issue(id: string, role: PrincipalRole): string {
    const usual = Object.hasOwn(LOCAL, id) ? LOCAL[id] : role
    if (usual !== role) throw new DeskhandError('BAD_ARGS', `${id} is the name of the ${usual}`, { next: 'Choose another name.' })
    const token = randomBytes(32).toString('base64url')
    this.#write(id, digest(token), role)
    return token
  }

  remove(id: string): boolean {
    const isThere = this.#read(id) !== undefined
    rmSync(this.file(id), { force: true })
    return isThere
  }

  list(): { id: string; role: PrincipalRole | undefined }[] {
    return this.#ids().flatMap((id) => {
      const found = this.#read(id)
      return found === undefined ? [] : [{ id, role: found.role }]
    })
  }

  /** Puts the digests of tokens in the place of those that earlier versions kept as they are; they stay good. */
  hash(): void {
    for (const id of this.#ids()) {
      const found = this.#read(id)
      if (found?.isPlain === true && found.role !== undefined) this.#write(id, found.digest, found.role)
    }
  }

  /** A token that stands in several files gives the least of their roles. */
  principal(token: string): Principal | undefined {
    if (token.length < SHORTEST_TOKEN) return undefined
    const given = digest(token)
    const matching = this.#ids().flatMap((id): Principal[] => {
      const kept = this.#read(id)
      return kept?.role !== undefined && timingSafeEqual(given, kept.digest) ? [{ id, role: kept.role }] : []
    })
    return matching.sort((a, b) => RANKS.indexOf(a.role) - RANKS.indexOf(b.role))[0]
  }

  #ids(): string[] {
    return (unlessShort(() => readdirSync(this.dir)) ?? []).filter((name) => ID.test(name))
  }

  #write(id: string, kept: Buffer, role: PrincipalRole): void {
    const draft = `${this.file(id)}.new`
    rmSync(draft, { force: true })
    writeOwnerOnly(draft, `${DIGEST}${kept.toString('base64url')}\n${role}\n`, 'wx')
    renameSync(draft, this.file(id))
  }

  /** Undefined without a whole token. */
  #read(id: string): TokenFile | undefined {
    const file = this.file(id)
    const text = unlessShort(() => readFileSync(file, 'utf8'))
    if (text === undefined) return undefined
    const [token = '', named = ''] = text.split('\n').map((line) => line.trim())
    const role = named === '' ? usualRole(id) : RANKS.find((known) => known === named)
    if (token.length < SHORTEST_TOKEN) return undefined
    if (!token.startsWith(DIGEST)) return { digest: digest(token), role, isPlain: true }
    const kept = Buffer.from(token.slice(DIGEST.length), 'base64url')
    return kept.length === DIGEST_BYTES ? { digest: kept, role, isPlain: false } : undefined
  }
}

/** The system is short of something, or its disk is ill: that says nothing of what is there. */
const SHORT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY', 'EIO'])

/** Undefined where there is nothing to be read. */
function unlessShort<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // A stranger hears it, and no path.
    if (SHORT.has(code)) throw new DeskhandError('INTERNAL', `the tokens cannot be read now (${code})`, { cause, next: 'Try again later.' })
    return undefined
  }
}

const usualRole = (id: string): PrincipalRole => (id === 'operator' ? 'operator' : 'agent')

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
