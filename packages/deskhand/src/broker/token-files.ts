import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal, PrincipalRole } from '@deskhand/core/model'
import { writeOwnerOnly } from '@deskhand/core/platform'
import type { Authenticator } from './authenticator.ts'

/** 32 random bytes have 43 characters. */
const SHORTEST_TOKEN = 43
const ID = /^[\w-]{1,60}$/
/** From the least power to the most. */
const RANKS: readonly PrincipalRole[] = ['viewer', 'agent', 'operator']

interface TokenFile {
  token: string
  /** Undefined when a newer version wrote a role that this one does not know: it gives nothing. */
  role: PrincipalRole | undefined
}

/**
 * Principals by secret tokens, one file each. The file's name is the principal's id, its first line the token, its second the role.
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

  /** The secret that makes a client the principal `id`. */
  read(id: string): string {
    const found = this.#read(id)
    if (found !== undefined) return found.token
    throw new DeskhandError('UNAUTHORIZED', `there is no token of ${id} in ${this.dir} that you can read`)
  }

  /** A token that stands in several files gives the least of their roles. */
  principal(token: string): Principal | undefined {
    if (token.length < SHORTEST_TOKEN) return undefined
    const given = digest(token)
    const matching = this.#ids().flatMap((id): Principal[] => {
      const { token: kept = '', role } = this.#read(id) ?? {}
      return timingSafeEqual(given, digest(kept)) && role !== undefined ? [{ id, role }] : []
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
    return token.length < SHORTEST_TOKEN ? undefined : { token, role }
  }
}

const usualRole = (id: string): PrincipalRole => (id === 'operator' ? 'operator' : 'agent')

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
