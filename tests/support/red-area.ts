import type { Frame } from '@deskhand/core/driver'
import type { Rect, Result } from '@deskhand/core/model'
import { expect } from 'vitest'

const soon = { timeout: 30_000, interval: 100 }

type Call = (tool: string, args?: unknown) => Promise<Result>

/** Where the tree says that the area of `red.py` lies; waits until it is there. */
export async function toldRed(call: Call): Promise<Rect> {
  let found: { bounds?: Rect }[] = []
  const look = async (): Promise<number> => {
    const { data } = await call('ui.query', { selector: 'name="Red" && !role=window && !role=heading && !role=label' })
    found = (data as { matches: { bounds?: Rect }[] } | undefined)?.matches ?? []
    return found.filter(({ bounds }) => bounds?.w === 200).length
  }
  await expect.poll(look, soon).toBe(1)
  return found.find(({ bounds }) => bounds?.w === 200)!.bounds!
}

/** Where the pixels of a picture are purely of this colour, in the units of the desktop. */
export function seenIn({ width, data, origin, scale }: Frame, colour: 'red' | 'green'): Rect | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1]
  const strong = colour === 'red' ? 0 : 1
  for (let i = 0; i * 4 < data.length; i++) {
    if (data[i * 4 + strong] !== 255 || data[i * 4 + 1 - strong] !== 0 || data[i * 4 + 2] !== 0) continue
    const [x, y] = [i % width, Math.floor(i / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (right < 0) return undefined
  return { x: origin.x + left / scale, y: origin.y + top / scale, w: (right - left + 1) / scale, h: (bottom - top + 1) / scale }
}
