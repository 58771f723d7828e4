// The process with the low-level hooks. Windows asks it before every event of mouse and keyboard, so it does nothing else: it counts, and in
// `enforce` it swallows what other programs inject, but into programs that are excepted. Where hooks are refused it counts what Raw Input tells. It ends with the driver, and its hooks with it.
// Words: the name of the shared memory, the mark of our own events, the mode, the process id of the driver, the excepted programs.
import koffi from 'koffi'
import { kernel32, user32 } from '../win32/api.ts'
import { pointerAt } from '../win32/input.ts'
import { Exceptions } from './exceptions.ts'
import { seePixels } from '../win32/screen.ts'
import { openRawInput, type RawEvent, rawEvent } from './raw-input.ts'
import { Ring, STATE } from './ring.ts'

const [, , name = '', markText = '0', mode = 'audit_only', driver = '0', excepted = ''] = process.argv
const ring = new Ring(name)
const mark = BigInt(markText)
const exceptions = new Exceptions(excepted)
const [KEYBOARD, MOUSE] = [13, 14]
const [MOUSE_INJECTED, KEY_INJECTED] = [1, 0x10]
const MOVE = 0x200
/** A decision takes far less. Hooks that take longer so often among so many events would slow the desktop down, so they go. */
const BUDGET_MS = 20
const OFTEN = 5
const RECENT = 100
const [SYNCHRONIZE, ALL_INPUT, WAIT_MS, REMOVE] = [0x100000, 0x4ff, 1000, 1]

const shape = koffi.proto('__stdcall', null, 'intptr_t', ['int32', 'uintptr_t', 'void *'])
const setHook = koffi
  .load('user32.dll')
  .func('__stdcall', 'SetWindowsHookExW', 'intptr_t', ['int32', koffi.pointer(shape), 'intptr_t', 'uint32']) as (
  ...args: (number | bigint)[]
) => number
const next = koffi.load('user32.dll').func('__stdcall', 'CallNextHookEx', 'intptr_t', ['intptr_t', 'int32', 'uintptr_t', 'void *']) as (
  ...args: (number | bigint)[]
) => number

/** Whether an event goes no further. */
function isSwallowed(isMouse: boolean, message: number, memory: bigint): boolean {
  const event = Buffer.from(koffi.view(memory, isMouse ? 32 : 24))
  const [flags, extra] = isMouse ? [event.readUInt32LE(12), event.readBigUInt64LE(24)] : [event.readUInt32LE(8), event.readBigUInt64LE(16)]
  const isInjected = (flags & (isMouse ? MOUSE_INJECTED : KEY_INJECTED)) !== 0
  if (isInjected && extra === mark) return false
  if (!isInjected) {
    ring.add(isMouse ? (message === MOVE ? 'moves' : 'buttons') : 'keys')
    if (isMouse) ring.point(event.readInt32LE(0), event.readInt32LE(4))
    return false
  }
  const at = isMouse ? { x: event.readInt32LE(0), y: event.readInt32LE(4) } : undefined
  const swallow = mode === 'enforce' && !exceptions.holdFor(at)
  ring.write(ring.add('seen'), { message, what: event.readInt32LE(0), isSwallowed: swallow })
  if (swallow) ring.add('swallowed')
  return swallow
}

/** An event of Raw Input, which has been delivered already. */
function count({ kind, isInjected, mark: half, message, what }: RawEvent): void {
  if (isInjected && half === Number(mark & 0xffffffffn)) return
  if (isInjected) return ring.write(ring.add('seen'), { message, what, isSwallowed: false })
  ring.add(kind)
  const { x, y } = pointerAt()
  if (kind !== 'keys') ring.point(x, y)
}

/** The slow decisions among the last ones, by their numbers. */
let slow: number[] = []
let decisions = 0

function keepBudget(tookMs: number): void {
  decisions++
  if (tookMs <= BUDGET_MS) return
  ring.add('slow')
  slow = [...slow.filter((number) => number > decisions - RECENT), decisions]
  if (slow.length < OFTEN) return
  ring.state = STATE.slow
  unhook()
}

const hook = (isMouse: boolean): bigint =>
  koffi.register((code: number, message: number | bigint, at: bigint) => {
    const started = performance.now()
    const swallowed = code >= 0 && isSwallowed(isMouse, Number(message), at)
    keepBudget(performance.now() - started)
    return swallowed ? 1 : next(0, code, message, at)
  }, koffi.pointer(shape))

seePixels()
const hooks = [setHook(MOUSE, hook(true), 0, 0), setHook(KEYBOARD, hook(false), 0, 0)]
if (!hooks.includes(0)) serve(STATE.hooked)
else {
  ring.error = kernel32.GetLastError()
  if (openRawInput()) serve(STATE.listening)
  else ring.state = STATE.refused
}
unhook()
process.exit(0)

function unhook(): void {
  for (const h of hooks) user32.UnhookWindowsHookEx(h)
}

/** Windows asks through this thread's messages; between them only the driver's end is waited for. */
function serve(state: number): void {
  ring.state = state
  const owner = Buffer.alloc(8)
  owner.writeBigInt64LE(BigInt(kernel32.OpenProcess(SYNCHRONIZE, 0, Number(driver))), 0)
  const message = Buffer.alloc(48)
  while (ring.state === state) {
    if (user32.MsgWaitForMultipleObjects(1, owner, 0, WAIT_MS, ALL_INPUT) === 0) break
    while (user32.PeekMessageW(message, 0, 0, 0, REMOVE) !== 0) {
      const event = rawEvent(message)
      if (event !== undefined) count(event)
      // It also lets go of what a message of Raw Input holds.
      user32.DispatchMessageW(message)
    }
  }
}
