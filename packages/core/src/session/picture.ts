import { within, type Frame, type Shot } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { Rect } from '../model/index.ts'
import { maskedAreas } from './masking.ts'
import type { Call } from './ports.ts'
import type { Session } from './session.ts'

const CAPTURE_MS = 5_000
/** An application that takes its time over its tree does not hold a picture up: what may hold a password there is black instead. */
const SETTLE_MS = 40
/** One that never told its whole tree yet would be black altogether, so it gets more time. */
const MEET_MS = 1_000

/** raw: RGBA rows without padding. */
export type Format = 'raw' | 'png' | 'jpeg' | 'webp'

/** A picture in the format that was asked for, and which parts of the desktop are black in it. */
export interface Exposure {
  frame: Frame
  masked: Rect[]
}

/**
 * An area or one window alone as this caller may see it: passwords, what is not theirs to know of, and with `redact` what looks private are
 * black before the pixels leave the driver.
 */
export async function expose(
  s: Session,
  call: Pick<Call, 'principal'>,
  area: { rect?: Rect; window?: string },
  format: Format,
  redact = false,
): Promise<Exposure> {
  const cap = s.info.can.capture
  if (!cap.ok) throw new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
  let settled = true
  const hidden = (windows?: Shot['windows']): Rect[] => [
    ...s.hiddenAreas(call, { windows, settled }),
    ...(redact ? maskedAreas(s.seen(call)) : []),
  ]
  const before = hidden()
  const { id, windows, ...shot } = await s.observe.capture(area, within(CAPTURE_MS))
  // What appeared while the picture was taken is hidden as well.
  settled = await s.tree.syncWithin(redact || s.meetsStrangers(windows) ? MEET_MS : SETTLE_MS)
  const masked = [...before, ...hidden(windows)]
  const data = await s.observe.develop(id, { hide: masked, as: format === 'png' ? 'png' : 'rgba' }, within(CAPTURE_MS))
  return { frame: { ...shot, data: await encoded(s, { ...shot, data }, format) }, masked }
}

async function encoded(s: Session, frame: Frame, format: Format): Promise<Frame['data']> {
  if (format === 'png') return frame.data
  if (frame.data.length !== frame.width * frame.height * 4)
    throw new DeskhandError('PROTOCOL', 'the driver gave a picture of another size than it said')
  if (format === 'raw') return frame.data
  if (s.ports.encode === undefined) throw new DeskhandError('NOT_CAPABLE', `no encoder for ${format} is set up`)
  return s.ports.encode(frame, format)
}
