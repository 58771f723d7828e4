import type { XInput } from 'x11'
import type { Display } from './display.ts'
import type { Input } from './input.ts'

type Device = 'pointer' | 'keys'

const ALL_MASTERS = 1
/** Raw events by the XTEST event that causes them. */
const RAW: Readonly<Record<string, { type: number; device: Device }>> = {
  XIRawKeyPress: { type: 2, device: 'keys' },
  XIRawKeyRelease: { type: 3, device: 'keys' },
  XIRawButtonPress: { type: 4, device: 'pointer' },
  XIRawButtonRelease: { type: 5, device: 'pointer' },
  XIRawMotion: { type: 6, device: 'pointer' },
}
const MOTION = 6
/** One sign of life is enough for so long. */
const AGAIN_MS = 100

/**
 * Tells when input reaches the X server that we did not send. Ours are told apart by a ledger: the server answers every
 * event of ours before the request after it, so whatever is not in the ledger came from somebody else.
 */
export async function watchHuman(display: Display, input: Input, tell: (device: Device) => void): Promise<boolean> {
  const ledger: { type: number; detail: number }[] = []
  const last: Record<Device, number> = { pointer: -Infinity, keys: -Infinity }
  try {
    const xinput = await display.ask<XInput>((reply) => display.client.require('xinput', reply))
    await display.ask((reply) => xinput.XIQueryVersion(2, 2, reply))
    xinput.XISelectEvents(display.root, [{ deviceId: ALL_MASTERS, mask: ['RawKeyPress', 'RawKeyRelease', 'RawButtonPress', 'RawButtonRelease', 'RawMotion'] }])
    await display.sync()
  } catch {
    return false
  }
  input.onSend = (type, detail) => void ledger.push({ type, detail })
  input.onDelivered = () => void (ledger.length = 0)
  display.onEvent((event) => {
    const raw = RAW[event.name]
    if (raw === undefined) return
    const at = ledger.findIndex((e) => e.type === raw.type && (raw.type === MOTION || e.detail === event.detail))
    if (at >= 0) return void ledger.splice(0, at + 1)
    const now = performance.now()
    if (now - last[raw.device] < AGAIN_MS) return
    last[raw.device] = now
    tell(raw.device)
  })
  return true
}
