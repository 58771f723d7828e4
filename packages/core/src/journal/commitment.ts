import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { desktopFile } from './anchor.ts'
import { loadSecret } from './keys.ts'
import { makeKeyFolder } from './owner-files.ts'

/** Stands for a text that is not kept. Without the journal's key, which lies elsewhere, nobody can try out what it was. */
export interface Commitment {
  redacted: true
  /** In characters as people count them, more or less: code points. */
  length: number
  salt: string
  hmac: string
}

/** The key of one desktop's commitments, made on first use, outside the journal's folder. */
export async function loadCommitmentKey(keyDir: string, desktop: string): Promise<Buffer> {
  await makeKeyFolder(keyDir)
  return loadSecret(join(keyDir, `${desktopFile(desktop)}.secret`))
}

export function commitTo(key: Buffer, field: string, text: string): Commitment {
  const salt = randomBytes(16).toString('base64url')
  return { redacted: true, length: [...text].length, salt, hmac: mac(key, salt, field, text).toString('base64url') }
}

/** Whether this text is the one committed to, for whoever holds the key. */
export function opens(key: Buffer, commitment: Commitment, field: string, text: string): boolean {
  const claimed = Buffer.from(commitment.hmac, 'base64url')
  const right = mac(key, commitment.salt, field, text)
  return claimed.length === right.length && timingSafeEqual(claimed, right)
}

const mac = (key: Buffer, salt: string, field: string, text: string): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([salt, field, text]))
    .digest()
