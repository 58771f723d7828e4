import { Frame } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import type { Vision } from '@deskhand/vision'
import type { Perform } from './tool.ts'

/** How alike a place is that is found where the caller does not say. */
export const CONFIDENCE = 0.9
const SEARCH_MS = 30_000
const MOST_PLACES = 20
/** What a screen of another resolution makes of a picture. */
const SCALES = [1, 0.5, 0.67, 0.75, 0.8, 1.25, 1.5, 2]

/** How a picture may differ from what is on the screen. */
export interface Likeness {
  confidence: number
  /** It may be larger or smaller there. */
  anyScale?: boolean
  /** What is light may be dark there. */
  anyTheme?: boolean
}

interface Place {
  x: number
  y: number
  width: number
  height: number
  center: [number, number]
  confidence: number
}

/** Where a picture lies on the screen. The look at the screen is a capture, so rules and masks hold for it. */
export async function locate(
  act: Perform,
  vision: Vision | undefined,
  name: string,
  { confidence, anyScale, anyTheme }: Likeness,
): Promise<{ look: Result; places: Place[] }> {
  if (vision === undefined)
    throw new DeskhandError('NOT_CAPABLE', 'no image search is set up here', { next: 'Find the element by name or role instead.' })
  const look = await act('capture', { format: 'raw' })
  if (look.error !== undefined) return { look, places: [] }
  const frame = Frame.parse(look.data)
  const options = { confidence, limit: MOST_PLACES, anyTheme, ...(anyScale && { scales: SCALES }) }
  const hits = await vision.locate(frame, { name }, options, AbortSignal.timeout(SEARCH_MS))
  const { origin, scale } = frame
  const places = hits.map(({ rect, confidence: sure }): Place => {
    const [x, y, width, height] = [origin.x + rect.x / scale, origin.y + rect.y / scale, rect.w / scale, rect.h / scale]
    return { x, y, width, height, center: [Math.floor(x + width / 2), Math.floor(y + height / 2)], confidence: sure }
  })
  return { look, places }
}
