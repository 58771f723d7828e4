import { within, type Frame } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { maskFrame } from '../journal/index.ts'
import type { Rect } from '../model/index.ts'
import { maskedAreas } from './masking.ts'
import type { Call } from './ports.ts'
import type { Session } from './session.ts'

const CAPTURE_MS = 5_000

/** The pixels of an area as this caller may see them: passwords, what is not theirs to know of, and with `redact` what looks private are black. */
export async function picture(s: Session, call: Call, rect: Rect | undefined, redact = false): Promise<Frame> {
  const cap = s.info.can.capture
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
  const hidden = (): Rect[] => [...s.hiddenAreas(call), ...(redact ? maskedAreas(s.seen(call)) : [])]
  const before = hidden()
  const pixels = await s.observe.capture({ rect }, within(CAPTURE_MS))
  // What appeared while the picture was taken is hidden as well.
  await s.tree.sync()
  return maskFrame(pixels, [...before, ...hidden()])
}
