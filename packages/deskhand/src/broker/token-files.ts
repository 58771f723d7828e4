import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
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

/** Before the digest of a token that is kept nowhere. */
const DIGEST = 'sha256:'

interface TokenFile {
  /** Absent where only its digest is kept. */
  token?: string
  digest: Buffer
  /** Undefined when a newer version wrote a role that this one does not know: it gives nothing. */
  role: PrincipalRole | undefined
}

/**
 * Principals by secret tokens, one file each. The file's name is the principal's id, its first line the token or its digest, its second the role.
 * Commands on this machine read the tokens of `agent` and `operator`; of one that was issued to another client only the digest is kept.
 * Without a second line, as in every file of version 0.1.0, `operator` is the operator and any other id an agent.
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

  has(id: string): boolean {
    return this.#read(id) !== undefined
  }

  /** Makes the token of a principal; one that is there already is kept. */
  add(id: string, role: PrincipalRole): void {
    const known = this.#read(id)
    if (known !== undefined && known.role !== role)
      throw new DeskhandError('BAD_ARGS', `${id} has another role already`, { next: `Choose another name, or remove ${this.file(id)}.` })
    if (known !== undefined) return
    // A crash can leave an empty file behind.
    rmSync(this.file(id), { force: true })
    const second = role === usualRole(id) ? '' : `${role}\n`
    writeOwnerOnly(this.file(id), `${randomBytes(32).toString('base64url')}\n${second}`, 'wx')
  }

  /** A new token for a client elsewhere; an earlier one that was issued under this id is good no longer. */
  issue(id: string, role: PrincipalRole): string {
    const known = this.#read(id)
    if (known?.token !== undefined)
      throw new DeskhandError('BAD_ARGS', `the token of ${id} is used on this machine`, { next: 'Choose another name.' })
    const token = randomBytes(32).toString('base64url')
    this.remove(id)
    writeOwnerOnly(this.file(id), `${DIGEST}${digest(token).toString('base64url')}\n${role}\n`, 'wx')
    return token
  }

  remove(id: string): boolean {
    const isThere = this.has(id)
    rmSync(this.file(id), { force: true })
    return isThere
  }

  list(): { id: string; role: PrincipalRole | undefined; isLocal: boolean }[] {
    return this.#ids().flatMap((id) => {
      const found = this.#read(id)
      return found === undefined ? [] : [{ id, role: found.role, isLocal: found.token !== undefined }]
    })
  }

  /** The secret that makes a client the principal `id`. */
  read(id: string): string {
    const token = this.#read(id)?.token
    if (token !== undefined) return token
    throw new DeskhandError('UNAUTHORIZED', `there is no token of ${id} in ${this.dir} that you can read`)
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
    try {
      return readdirSync(this.dir).filter((name) => ID.test(name))
    } catch {
      return []
    }
  }

  /** Undefined without a whole token. */
  #read(id: string): TokenFile | undefined {
    const file = this.file(id)
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch {
      return undefined
    }
    const [token = '', named = ''] = text.split('\n').map((line) => line.trim())
    const role = named === '' ? usualRole(id) : RANKS.find((known) => known === named)
    if (token.length < SHORTEST_TOKEN) return undefined
    if (!token.startsWith(DIGEST)) return { token, digest: digest(token), role }
    const kept = Buffer.from(token.slice(DIGEST.length), 'base64url')
    return kept.length === DIGEST_BYTES ? { digest: kept, role } : undefined
  }
}

const usualRole = (id: string): PrincipalRole => (id === 'operator' ? 'operator' : 'agent')

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
