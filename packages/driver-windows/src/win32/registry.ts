import { DeskhandError } from '@deskhand/core/errors'
import { advapi32 } from './api.ts'
import { wide } from './message.ts'

const MACHINE = 0x80000002 | 0
const [TEXT, LINES, OF_64_BITS] = [2, 0x20, 0x10000]
const NOT_FOUND = 2

/** A text of the machine's registry, its lines or the only one; undefined where there is no such value. */
export function machineText(key: string, value: string): string | undefined {
  const size = Buffer.alloc(4)
  const ask = (into: Buffer | null): number =>
    advapi32.RegGetValueW(MACHINE, wide(key), wide(value), TEXT | LINES | OF_64_BITS, null, into, size)
  const found = ask(null)
  if (found === NOT_FOUND) return undefined
  const data = Buffer.alloc(size.readUInt32LE(0))
  const answer = found === 0 ? ask(data) : found
  if (answer !== 0)
    throw new DeskhandError('BAD_POLICY', `HKLM\\${key}: ${value} cannot be read (error ${answer})`, {
      next: 'Make it a value of the type REG_MULTI_SZ, as deskhand.admx does.',
    })
  return data.toString('utf16le', 0, size.readUInt32LE(0)).replace(/\0+$/, '').replaceAll('\0', '\n')
}
