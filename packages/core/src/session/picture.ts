import { within, type Frame } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { maskFrame } from '../journal/index.ts'
import type { Rect } from '../model/index.ts'
import { maskedAreas } from './masking.ts'
import type { Call } from './ports.ts'
import type { Session } from './session.ts'

const CAPTURE_MS = 5_000
/** An application that takes its time over its tree does not hold a picture up: what may hold a password there is black instead. */
const SETTLE_MS = 40
/** One that never told its whole tree yet would be black altogether, so it gets more time. */
const MEET_MS = 1_000

/** Pixels, and which parts of the desktop are black in them. */
export interface Exposure {
  frame: Frame
  masked: Rect[]
}

/** The pixels of an area as this caller may see them: passwords, what is not theirs to know of, and with `redact` what looks private are black. */
export async function picture(s: Session, call: Call, rect: Rect | undefined, redact = false): Promise<Frame> {
  return (await expose(s, call, { rect }, redact)).frame
}

/** The same of an area or of one window alone, with what was hidden. */
export async function expose(
  s: Session,
  call: Pick<Call, 'principal'>,
  area: { rect?: Rect; window?: string },
  redact = false,
): Promise<Exposure> {
  const cap = s.info.can.capture
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
  let settled = true
  const hidden = (windows?: Frame['windows']): Rect[] => [
    ...s.hiddenAreas(call, { windows, settled }),
    ...(redact ? maskedAreas(s.seen(call)) : []),
  ]
  const before = hidden()
  const { windows, ...pixels } = await s.observe.capture(area, within(CAPTURE_MS))
  // What appeared while the picture was taken is hidden as well.
  settled = await s.tree.syncWithin(redact || s.meetsStrangers() ? MEET_MS : SETTLE_MS)
  const masked = [...before, ...hidden(windows)]
  return { frame: maskFrame(pixels, masked), masked }
}
