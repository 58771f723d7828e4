import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, 'fixtures')

/** What the recorder knows and no file in the fixture says. */
interface Facts {
  redacted: { desktop: string; text: string }
  /** Of a viewer of the whole server. */
  token?: string
}

export const fixtures = (): string[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

/** Whether this file or folder was left by that version. */
export const left = (fixture: string, path: string): boolean => existsSync(join(root, fixture, path))

/** A recorded state folder as it lay on the disk, in a temporary folder. */
export class Restored {
  readonly dir = mkdtempSync(join(tmpdir(), 'dh-upgrade-'))
  readonly state = join(this.dir, 'state')
  readonly config = join(this.dir, 'deskhand.toml')
  readonly facts: Facts

  constructor(fixture: string) {
    cpSync(join(root, fixture), this.dir, { recursive: true })
    for (const path of readdirSync(this.dir, { recursive: true, encoding: 'utf8' }).reverse()) this.#restore(join(this.dir, path))
    this.facts = JSON.parse(readFileSync(join(this.dir, 'facts.json'), 'utf8')) as Facts
  }

  get desktops(): string[] {
    return readdirSync(join(this.state, 'desktops')).sort()
  }

  journal(desktop: string): string {
    return join(this.state, 'desktops', desktop, 'journal')
  }

  /** The bytes of a journal's segments, in order. */
  bytes(desktop: string): Buffer {
    const segments = readdirSync(this.journal(desktop)).filter((name) => name.endsWith('.jsonl'))
    return Buffer.concat(segments.sort().map((name) => readFileSync(join(this.journal(desktop), name))))
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }

  /** Git keeps neither who may read a file nor bytes that are no text, and a lock names the machine it was taken on. */
  #restore(path: string): void {
    if (statSync(path).isDirectory()) return chmodSync(path, 0o700)
    chmodSync(path, 0o600)
    if (path.endsWith('.base64')) {
      writeFileSync(path.slice(0, -'.base64'.length), Buffer.from(readFileSync(path, 'utf8'), 'base64'), { mode: 0o600 })
      rmSync(path)
    }
    if (path.includes('@host@')) renameSync(path, path.replace('@host@', short(hostname())).replace('@boot@', short('an earlier boot')))
  }
}

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)
