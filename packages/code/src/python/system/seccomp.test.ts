import { expect, test } from 'vitest'
import fc from 'fast-check'
import { seccompFilter } from './seccomp.ts'

const ALLOW = 0x7fff0000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const KILL = 0x80000000
const X64 = 0xc000003e
const ARM64 = 0xc00000b7

/** Runs the program as the kernel would: a second, independent reading of classic BPF. */
function judge(arch: 'x64' | 'arm64', call: { nr: number; args?: number[]; audit?: number }): number {
  const program = seccompFilter(arch)
  if (!program) throw new Error('no filter')
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.nr, 0)
  data.writeUInt32LE(call.audit ?? (arch === 'x64' ? X64 : ARM64), 4)
  call.args?.forEach((value, i) => data.writeUInt32LE(value, 16 + 8 * i))
  let accumulator = 0
  for (let at = 0; at * 8 < program.length; at++) {
    const [code, jt, jf, k] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
      program.readUInt32LE(at * 8 + 4),
    ]
    if (code === 0x20) accumulator = data.readUInt32LE(k)
    else if (code === 0x06) return k
    else if (code === 0x15) at += accumulator === k ? jt : jf
    else if (code === 0x35) at += accumulator >= k ? jt : jf
    else if (code === 0x45) at += accumulator & k ? jt : jf
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the program ran off its end')
}

test.each([
  ['read', 'x64', 0, [], ALLOW],
  ['execve', 'x64', 59, [], ALLOW],
  ['fork', 'x64', 57, [], EPERM],
  ['a thread', 'x64', 56, [0x3d0f00], ALLOW],
  ['a process by clone', 'x64', 56, [0x11], EPERM],
  ['clone3, whose flags cannot be seen', 'x64', 435, [], ENOSYS],
  ['ptrace', 'x64', 101, [], EPERM],
  ['mount', 'x64', 165, [], EPERM],
  ['a unix socket', 'x64', 41, [1], EPERM],
  ['connecting', 'x64', 42, [3], EPERM],
  ['a pair of streams', 'x64', 53, [1, 0x80801], ALLOW],
  ['a pair for datagrams', 'x64', 53, [1, 0x80002], EPERM],
  ['a pair for packets', 'x64', 53, [1, 5], EPERM],
  ['a call that came later', 'x64', 457, [], ENOSYS],
  ['an internet socket', 'x64', 41, [2], EPERM],
  ['an IPv6 socket', 'x64', 41, [10], EPERM],
  ['a netlink socket', 'x64', 41, [16], EPERM],
  ['a vsock to the hypervisor', 'x64', 41, [40], EPERM],
  ['typing into a terminal', 'x64', 16, [0, 0x5412], EPERM],
  ['asking for the window size', 'x64', 16, [0, 0x5413], ALLOW],
  ['an x32 call', 'x64', 0x40000000 + 57, [], EPERM],
  ['ptrace', 'arm64', 117, [], EPERM],
  ['a process by clone', 'arm64', 220, [0x11], EPERM],
  ['a thread', 'arm64', 220, [0x3d0f00], ALLOW],
  ['an internet socket', 'arm64', 198, [2], EPERM],
  ['a pair of streams', 'arm64', 199, [1, 1], ALLOW],
  ['a pair for datagrams', 'arm64', 199, [1, 2], EPERM],
  ['read', 'arm64', 63, [], ALLOW],
] as const)('%s on %s', (_, arch, nr, args, verdict) => {
  expect(judge(arch, { nr, args: [...args] })).toBe(verdict)
})

test('calls of another architecture end the process', () => {
  expect(judge('x64', { nr: 1, audit: 0x40000003 })).toBe(KILL)
  expect(judge('arm64', { nr: 1, audit: X64 })).toBe(KILL)
})

test('every call gets an answer', () => {
  fc.assert(
    fc.property(fc.constantFrom('x64' as const, 'arm64' as const), fc.nat(), fc.array(fc.nat(), { maxLength: 6 }), (arch, nr, args) => {
      expect([ALLOW, EPERM, ENOSYS]).toContain(judge(arch, { nr, args }))
    }),
    { numRuns: 2000 },
  )
})

test('an architecture without a filter has none, rather than a weak one', () => {
  expect(seccompFilter('riscv64')).toBeUndefined()
})
