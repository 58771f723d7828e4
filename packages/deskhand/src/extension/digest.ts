import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signedBy, type Signer } from '@deskhand/core/journal'
import { bad } from './manifest.ts'

/** Beside the files that it signs. */
export const SIGNATURE = 'extension.sig'
const LARGEST_FILE = 1 << 20
const MOST_FILES = 200
const PURPOSE = 'deskhand extension 1\n'

/** Every file of an extension by its path, sorted; links and what is too large are refused. */
export function filesOf(dir: string, below = ''): string[] {
  const found = readdirSync(join(dir, below)).flatMap((name) => {
    const path = below === '' ? name : `${below}/${name}`
    const stat = lstatSync(join(dir, path))
    if (stat.isDirectory()) return name === 'node_modules' || name.startsWith('.') ? [] : filesOf(dir, path)
    if (!stat.isFile()) throw bad(`${path} is no plain file`)
    if (stat.size > LARGEST_FILE) throw bad(`${path} is larger than ${LARGEST_FILE} bytes`)
    return [path]
  })
  if (found.length > MOST_FILES) throw bad(`it has more than ${MOST_FILES} files`)
  return found.toSorted()
}

/** What pins an extension: every path and every byte, but for its signature. */
export function digestOf(dir: string): string {
  const digest = createHash('sha256')
  for (const path of filesOf(dir)) {
    if (path === SIGNATURE) continue
    const bytes = readFileSync(join(dir, path))
    digest.update(`${path}\n${bytes.length}\n`).update(bytes)
  }
  return digest.digest('hex')
}

export const signatureOf = (sha256: string, signer: Signer): string => `ed25519:${signer.key} ${signer.sign(signedBytes(sha256))}\n`

/** The key that signed these files; undefined where none did, or where a byte differs. */
export function signerOf(dir: string, sha256: string): string | undefined {
  let line: string
  try {
    line = readFileSync(join(dir, SIGNATURE), 'utf8')
  } catch {
    return undefined
  }
  const [, key = '', signature = ''] = /^ed25519:([\w-]{43}) ([\w-]{86})\n$/.exec(line) ?? []
  return signedBy(key, signedBytes(sha256), signature) ? key : undefined
}

const signedBytes = (sha256: string): Uint8Array => Buffer.from(`${PURPOSE}${sha256}`)
