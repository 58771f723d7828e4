import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { join } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { makeKeyFolder, readOrMake } from '../platform/index.ts'

/** Signs checkpoints; `key` is the raw Ed25519 public key in base64url, and names the signer. */
export interface Signer {
  key: string
  sign(bytes: Uint8Array): string
}

/** A signing key of an installation, made on first use, readable by its owner only: that of the journal, or another one by its name. */
export async function loadSigner(keyDir: string, name = 'journal'): Promise<Signer> {
  makeKeyFolder(keyDir)
  const file = join(keyDir, `${name}.key`)
  const pem = await readOrMake(file, () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  let secret: KeyObject
  try {
    secret = createPrivateKey(pem)
  } catch (cause) {
    throw new DeskhandError('BAD_CONFIG', `${file} is not a private key.`, { cause, next: 'Restore the file from a copy.' })
  }
  const jwk = createPublicKey(secret).export({ format: 'jwk' })
  if (jwk.crv !== 'Ed25519' || jwk.x === undefined) throw new DeskhandError('BAD_CONFIG', `${file} is not an Ed25519 key.`)
  return { key: jwk.x, sign: (bytes) => sign(null, bytes, secret).toString('base64url') }
}

/** Whether `signature` is the one of `key` over these bytes; a malformed key or signature is simply not. */
export function signedBy(key: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })
    return verify(null, bytes, publicKey, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}
