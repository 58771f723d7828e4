import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Frame, Observe } from '../../driver/driver.ts'
import type { Principal, Rect, UiNode } from '../../model/index.ts'
import type { Part } from '../ports.ts'
import type { Sight } from '../see/see.ts'
import type { Capture } from './capture.ts'
import { SeenParts } from './seen-parts.ts'

const who: Principal = { id: 'a', role: 'agent' }
const bounds: Rect = { x: 0, y: 0, w: 40, h: 40 }
const app = { id: 'game', name: 'game' }
const node: UiNode = { key: 'w', index: 0, role: 'window', name: 'Game', bounds, app, attributes: { unread: 'window' }, children: [] }
const frame: Frame = { origin: { x: 0, y: 0 }, width: 40, height: 40, scale: 1, data: new Uint8Array(6_400) }
const sight: Sight = {
  roots: [node],
  completeness: { complete: false, reasons: [{ kind: 'treeless', app: 'game' }] } as unknown as Sight['completeness'],
  index: undefined,
  see: (key) => (key === 'w' ? node : undefined),
}

/** A window that is drawn anew at every moment or never, and how often it was read; the test says how long a reading takes. */
function window(isRestless: boolean) {
  const state = { readings: 0, takes: async (): Promise<void> => {}, wasDrawn: true }
  const structure = async (): Promise<Part[]> => {
    state.readings++
    await state.takes()
    return [{ role: 'label', name: `score ${state.readings}`, rect: bounds, confidence: 1, children: [] }]
  }
  const watch = async (): Promise<{ cursor: string; damage: Rect[] }> => {
    const damage = isRestless || state.wasDrawn ? [bounds] : []
    state.wasDrawn = false
    return { cursor: 'c', damage }
  }
  const parts = new SeenParts({
    observe: { watch } as unknown as Observe,
    capture: { hiddenAreas: () => [], take: async () => ({ frame, over: [], masked: [] }) } as unknown as Capture,
    see: () => sight,
    recognizer: { structure, recognize: async () => [] },
    canRead: () => true,
    tree: { activeWindow: 'w', generation: 1 },
    readable: (text) => text,
  })
  const says = (): unknown => parts.over(sight, who).roots[0]?.children.map((n) => n.name)
  const isMarked = (): unknown => parts.over(sight, who).roots[0]?.attributes?.['changing']
  return { parts, state, says, isMarked }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a look does not wait for what changes all the time, shows it as it was a moment ago, and says so', async () => {
  const { parts, state, says, isMarked } = window(true)
  await parts.look(who, { glance: true })
  expect(isMarked()).toBeUndefined()
  await parts.look(who, { glance: true })
  expect([says(), isMarked()]).toEqual([['score 2'], true])
  let done = (): void => {}
  state.takes = () => new Promise((resolve) => (done = resolve))
  let isOver = false
  const look = parts.look(who, { glance: true }).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(1_100)
  expect(isOver).toBe(true)
  expect(says()).toEqual(['score 2'])
  done()
  await look
  await vi.advanceTimersByTimeAsync(1)
  expect(says()).toEqual(['score 3'])
})

test('before anything is touched there, it is read anew', async () => {
  const { parts, state, says } = window(true)
  for (let i = 0; i < 3; i++) await parts.look(who, { glance: true })
  state.takes = () => new Promise((resolve) => setTimeout(resolve, 4_000))
  let isOver = false
  const look = parts.look(who).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1_100)
  await look
  expect(says()).toEqual(['score 4'])
})

test('what takes long to read and is drawn all the time is read a third of the time at most', async () => {
  const { parts, state } = window(true)
  state.takes = () => new Promise((resolve) => setTimeout(resolve, 500))
  const end = Date.now() + 30_000
  while (Date.now() < end) {
    const look = parts.look(who, { glance: true })
    await vi.advanceTimersByTimeAsync(1_000)
    await look
  }
  expect(state.readings).toBeLessThanOrEqual(24)
  expect(state.readings).toBeGreaterThan(10)
})

test('what rests is not read again, and is not marked', async () => {
  const { parts, state, isMarked } = window(false)
  for (let i = 0; i < 4; i++) await parts.look(who, { glance: true })
  expect(state.readings).toBe(1)
  expect(isMarked()).toBeUndefined()
})
