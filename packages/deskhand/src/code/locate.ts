import { Frame } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { Rect } from '@deskhand/core/model'
import type { CodePerform } from '@deskhand/core/session'
import { quote } from '@deskhand/core/selector/quote'
import type { ImageSearch, Origin, ScriptPort } from '@deskhand/code/pyautogui'
import { cropped, type Picture, type Vision } from '@deskhand/vision'

/** The rules of the policy know a call of a script by the function's name. */
export const toolOf = (origin: Origin): string => origin.call.split('(')[0] ?? 'pyautogui'

/** As PyAutoGUI does without a confidence: identical pixels only. */
const IDENTICAL = 1

/** Image search for scripts. The screen is looked at by a capture as any other, so rules and masks hold for it. */
export function locator(vision: Vision, perform: CodePerform): NonNullable<ScriptPort['locate']> {
  return async (search, origin) => {
    const frame = search.haystack === undefined ? await captured(perform, search, origin) : inPicture(search)
    const { needle, confidence = IDENTICAL, grayscale, limit } = search
    const hits = await vision.locate(frame, needle, { confidence, grey: grayscale, limit }, origin.signal)
    const { x, y } = frame.origin
    return hits
      .map(({ rect }): Rect => ({
        x: x + rect.x / frame.scale,
        y: y + rect.y / frame.scale,
        w: rect.w / frame.scale,
        h: rect.h / frame.scale,
      }))
      .toSorted((a, b) => a.y - b.y || a.x - b.x)
  }
}

/** A picture, and where it lies. */
type Placed = Picture & Pick<Frame, 'origin' | 'scale'>

async function captured(perform: CodePerform, { region, window }: ImageSearch, origin: Origin): Promise<Frame> {
  const target = window === undefined ? undefined : `role=window && name~=${quote(window)}`
  const { error, data } = await perform(toolOf(origin), 'capture', { region, target, format: 'raw' }, origin.line)
  if (error !== undefined) throw DeskhandError.revive(error)
  return Frame.parse(data)
}

/** A picture that the script holds, and the part of it to look in. */
function inPicture({ haystack, region }: ImageSearch): Placed {
  const whole = haystack ?? { width: 0, height: 0, data: new Uint8Array() }
  if (region === undefined) return { ...whole, origin: { x: 0, y: 0 }, scale: 1 }
  const part = cropped(whole, region.x, region.y, region.w, region.h)
  return { ...part, origin: { x: Math.max(0, region.x), y: Math.max(0, region.y) }, scale: 1 }
}
