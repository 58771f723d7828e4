import { hash } from 'node:crypto'
import { signedBy, type Signer } from '@deskhand/core/journal'

/** The last line of a signed playbook. The text above it is what is signed, byte for byte. */
const LAST_LINE = /\n# signed ed25519:([\w-]{43}) ([\w-]{86})\n$/

/** Told apart from everything else that the same key may sign. */
const PURPOSE = 'deskhand playbook 1\n'

export interface Sealed {
  /** The playbook without its signature. */
  text: string
  sha256: string
  /** The key whose signature is good; absent where there is none, or where a byte differs. */
  signer?: string
}

export function readSeal(file: string): Sealed {
  const found = LAST_LINE.exec(file)
  if (found === null) return { text: file, sha256: hash('sha256', file) }
  const [line, key = '', signature = ''] = found
  const text = file.slice(0, -line.length + 1)
  const isGood = isPlain(key) && isPlain(signature) && signedBy(key, signedBytes(text), signature)
  return { text, sha256: hash('sha256', text), signer: isGood ? key : undefined }
}

/** The text with a signature under it, in place of any that it had. */
export function seal(file: string, signer: Signer): string {
  const { text } = readSeal(file)
  const whole = text.endsWith('\n') ? text : `${text}\n`
  return `${whole}# signed ed25519:${signer.key} ${signer.sign(signedBytes(whole))}\n`
}

const signedBytes = (text: string): Uint8Array => Buffer.from(`${PURPOSE}${text}`)

/** Base64url has several spellings of the same bytes; only one of them counts, so that no byte of a file is free. */
const isPlain = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text
