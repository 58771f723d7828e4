import koffi from 'koffi'
import { guid, type Pointer } from './com.ts'

const E_NOINTERFACE = 0x80004002 | 0
const UNKNOWN = '00000000-0000-0000-c000-000000000046'
/** Objects live as long as the process: what holds them may call at any time. */
const kept: Buffer[] = []

/** An object that programs tell of something, by the one method of these interfaces. What they tell is not looked at. */
export function handler(interfaces: readonly string[], onCall: () => void): Pointer {
  const known = [UNKNOWN, ...interfaces].map(guid)
  const query = (self: Pointer, iid: Pointer, out: Pointer): number => {
    const isKnown = known.some((id) => id.equals(Buffer.from(koffi.view(iid, 16))))
    koffi.encode(out, 'uint64', isKnown ? self : 0n)
    return isKnown ? 0 : E_NOINTERFACE
  }
  const count = (): number => 1
  const called = (): number => {
    onCall()
    return 0
  }
  const methods = [
    [['void *', 'void *', 'void *'], query],
    [['void *'], count],
    [['void *'], count],
    // Methods with fewer words leave the last ones undefined.
    [['void *', 'void *', 'int32', 'void *'], called],
  ] as const
  const [table, object] = [Buffer.alloc(8 * methods.length), Buffer.alloc(8)]
  methods.forEach(([words, run], at) => {
    const shape = koffi.proto('__stdcall', null, 'int32', [...words])
    table.writeBigUInt64LE(BigInt(koffi.register(run, koffi.pointer(shape))), 8 * at)
  })
  object.writeBigUInt64LE(koffi.address(table), 0)
  kept.push(table, object)
  return koffi.address(object)
}
