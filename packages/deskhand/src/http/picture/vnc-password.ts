import { createCipheriv, randomBytes } from 'node:crypto'
import { isSame } from '../sessions.ts'

/** The number of VNC authentication in the protocol. */
const VNC_AUTHENTICATION = 2
/** The protocol reads no more of a password. */
const LENGTH = 8

/** A password that no person has chosen: 48 bits, as long as the protocol reads. */
export const makePassword = (): string => randomBytes(6).toString('base64url')

/** The challenge for one connection. The protocol is old and weak: it keeps out other users of this machine, not an attacker on a network. */
export function vncAuthentication(password: string): { type: number; challenge: Buffer; accepts(answer: Buffer): boolean } {
  const challenge = randomBytes(16)
  const expected = answerOf(password, challenge).toString('base64')
  return { type: VNC_AUTHENTICATION, challenge, accepts: (answer) => isSame(answer.toString('base64'), expected) }
}

/** DES with the password as its key, the bits of every byte in reverse. Where DES itself is switched off, triple DES with one key thrice is the same. */
function answerOf(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(LENGTH)
  Buffer.from(password, 'latin1').copy(key, 0, 0, LENGTH)
  const turned = key.map(reversed)
  const des = createCipheriv('des-ede3-ecb', Buffer.concat([turned, turned, turned]), null).setAutoPadding(false)
  return Buffer.concat([des.update(challenge), des.final()])
}

function reversed(byte: number): number {
  let out = 0
  for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) out |= 0x80 >> bit
  return out
}
