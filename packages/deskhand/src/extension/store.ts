import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { makeOwnerFolder, writeOwnerOnly } from '@deskhand/core/platform'
import type { DriverEntry } from '../drivers/entry.ts'
import { digestOf, filesOf, signerOf } from './digest.ts'
import { bad, MANIFEST, readManifest, type Manifest } from './manifest.ts'

const Pin = z.object({ version: z.string(), sha256: z.string(), from: z.string(), signer: z.string().optional() })
export type Pin = z.infer<typeof Pin>

export interface Extension {
  manifest: Manifest
  /** Where its files lie. */
  dir: string
  pin: Pin
}

/** The extensions of an installation: copies of their files, each pinned by a digest from the day it was added. */
export class Extensions {
  readonly #dir: string

  constructor(state: string) {
    this.#dir = join(state, 'extensions')
  }

  /** What adding this folder or package would add; nothing of it is copied or run. `keys`: who has to have signed it, where any are named. */
  static inspect(from: string, keys: readonly string[] = []): Extension {
    const dir = folderOf(from)
    const sha256 = digestOf(dir)
    const signer = signerOf(dir, sha256)
    if (keys.length > 0 && !keys.includes(`ed25519:${signer}`))
      throw bad(signer === undefined ? 'it is not signed' : `it is signed by ed25519:${signer}, which extensions.keys does not name`)
    const manifest = readManifest(dir)
    return { manifest, dir, pin: { version: manifest.version, sha256, from: resolve(dir), signer } }
  }

  /** Copies the files of an extension that was looked at; what changed since then is refused. */
  add({ manifest: { name }, dir, pin }: Extension): void {
    makeOwnerFolder(this.#dir)
    const coming = join(this.#dir, `.${name}`)
    rmSync(coming, { recursive: true, force: true })
    for (const path of filesOf(dir)) {
      mkdirSync(dirname(join(coming, path)), { recursive: true, mode: 0o700 })
      cpSync(join(dir, path), join(coming, path))
    }
    if (digestOf(coming) !== pin.sha256) {
      rmSync(coming, { recursive: true, force: true })
      throw bad('its files changed while it was added')
    }
    rmSync(this.#place(name), { recursive: true, force: true })
    renameSync(coming, this.#place(name))
    writeOwnerOnly(this.#pinFile(name), `${JSON.stringify(pin)}\n`)
  }

  remove(name: string): void {
    if (!this.names().includes(name))
      throw new DeskhandError('BAD_ARGS', `there is no extension ${JSON.stringify(name)}`, { next: 'deskhand extension list names them.' })
    rmSync(this.#pinFile(name), { force: true })
    rmSync(this.#place(name), { recursive: true, force: true })
  }

  names(): string[] {
    if (!existsSync(this.#dir)) return []
    return readdirSync(this.#dir)
      .filter((file) => file.endsWith('.pin'))
      .map((file) => file.slice(0, -'.pin'.length))
      .toSorted()
  }

  /** One extension as it was added. A byte that differs is refused, and so is one that the keys do not cover any more. */
  read(name: string, keys: readonly string[] = []): Extension {
    const pin = Pin.parse(JSON.parse(readFileSync(this.#pinFile(name), 'utf8')))
    const dir = this.#place(name)
    if (!existsSync(dir) || digestOf(dir) !== pin.sha256)
      throw new DeskhandError('BAD_CONFIG', `the extension ${name} is not what was added`, {
        next: `Add it again, or take it away: deskhand extension remove ${name}`,
      })
    const { manifest } = Extensions.inspect(dir, keys)
    return { manifest, dir, pin }
  }

  all(keys?: readonly string[]): Extension[] {
    return this.names().map((name) => this.read(name, keys))
  }

  #place(name: string): string {
    return join(this.#dir, name)
  }

  #pinFile(name: string): string {
    return join(this.#dir, `${name}.pin`)
  }
}

/** The selectors of extensions under the names that agents use. */
export function namedSelectors(extensions: readonly Extension[]): ReadonlyMap<string, string> {
  return new Map(
    extensions.flatMap(({ manifest: { name, selectors } }) =>
      Object.entries(selectors).map(([key, selector]): [string, string] => [`${name}.${key}`, selector]),
    ),
  )
}

/** The files of their tasks under the names that `play.run` knows. */
export function taskFiles(extensions: readonly Extension[]): ReadonlyMap<string, string> {
  return new Map(
    extensions.flatMap(({ dir, manifest: { name, tasks } }) =>
      Object.entries(tasks).map(([task, path]): [string, string] => [`${name}.${task}`, join(dir, path)]),
    ),
  )
}

/** Their drivers, each with the folder that it is started in. */
export const driversOf = (extensions: readonly Extension[]): (DriverEntry & { cwd: string })[] =>
  extensions.flatMap(({ dir, manifest }) => manifest.drivers.map(({ command, ...driver }) => ({ ...driver, mcp: { command }, cwd: dir })))

/** Their policy files. */
export const policyFiles = (extensions: readonly Extension[]): string[] =>
  extensions.flatMap(({ dir, manifest }) => manifest.policy.map((path) => join(dir, path)))

/** A folder, or a package that npm put into a `node_modules` here or above. */
function folderOf(from: string): string {
  if (existsSync(join(from, MANIFEST))) return from
  for (let at = resolve('.'); /^(@[\w.-]+\/)?[\w.-]+$/.test(from); at = dirname(at)) {
    const found = join(at, 'node_modules', from)
    if (existsSync(join(found, MANIFEST))) return found
    if (at === dirname(at)) break
  }
  throw new DeskhandError('BAD_ARGS', `${from} is neither a folder with ${MANIFEST} nor an installed package that has one`)
}
