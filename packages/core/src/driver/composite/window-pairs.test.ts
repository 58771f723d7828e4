import { expect, test } from 'vitest'
import type { FlatNode, Rect } from '../../model/index.ts'
import { type OwnedWindow, pairWindows, type WindowPairs } from './window-pairs.ts'

const PLACE: Rect = { x: 10, y: 20, w: 300, h: 200 }
const window = (
  key: string,
  name: string,
  bounds: Rect | undefined = PLACE,
  pid: number | undefined = 7,
  windowHandle?: string,
): OwnedWindow => {
  const node: FlatNode = {
    key,
    index: 0,
    app: 'app',
    role: 'window',
    name,
    bounds,
    platformIds: windowHandle === undefined ? undefined : { windowHandle },
  }
  return { node, pid }
}
const pairs = (drivers: OwnedWindow[][], before: WindowPairs = new Map()): Record<string, string> =>
  Object.fromEntries(pairWindows(drivers, before))

test('the window that a preferred driver shows hides the same one of a later driver, never the other way round', () => {
  expect(pairs([[window('a', 'Invoice')], [window('b', 'Invoice')]])).toEqual({ b: 'a' })
  expect(pairs([[window('a', 'Invoice')], [window('b', 'Invoice')], [window('c', 'Invoice')]])).toEqual({ b: 'a', c: 'a' })
})

test('windows of different processes, or of unknown ones, are different', () => {
  expect(pairs([[window('a', 'Invoice')], [window('b', 'Invoice', PLACE, 8)]])).toEqual({})
  expect(pairs([[window('a', 'Invoice')], [{ ...window('b', 'Invoice'), pid: undefined }]])).toEqual({})
})

test('the place may differ by a border; elsewhere it is another window of the process', () => {
  expect(pairs([[window('a', 'Invoice')], [window('b', 'Invoice', { ...PLACE, y: 14, h: 206 })]])).toEqual({ b: 'a' })
  expect(pairs([[window('a', 'Invoice')], [window('b', 'Invoice', { ...PLACE, x: 400 })]])).toEqual({})
})

test('native ids decide alone where both drivers know them', () => {
  const moved = { ...PLACE, x: 400 }
  expect(pairs([[window('a', 'One', PLACE, 7, '0x10')], [window('b', 'Two', moved, 7, '0x10')]])).toEqual({ b: 'a' })
  expect(pairs([[window('a', 'One', PLACE, 7, '0x10')], [window('b', 'One', PLACE, 7, '0x11')]])).toEqual({})
})

test('of windows at one place each hides the one with its title, and one of another title only where no other is meant', () => {
  const both = [window('b1', 'One'), window('b2', 'Two')]
  expect(pairs([[window('a2', 'Two'), window('a1', 'One')], both])).toEqual({ b1: 'a1', b2: 'a2' })
  expect(pairs([[window('a1', 'One')], both])).toEqual({ b1: 'a1' })
  expect(pairs([[window('a', 'One')], [window('b', 'One - Program')]])).toEqual({ b: 'a' })
  expect(pairs([[window('a', 'Three')], both])).toEqual({})
})

test('a pair stands while one driver tells a move before the other', () => {
  const before = pairWindows([[window('a', 'Invoice')], [window('b', 'Invoice')]], new Map())
  const moved = { ...PLACE, x: 400 }
  expect(pairs([[window('a', 'Invoice', moved)], [window('b', 'Invoice')]], before)).toEqual({ b: 'a' })
  expect(pairs([[window('a', 'Invoice', moved), window('c', 'Invoice')], [window('b', 'Invoice')]], before)).toEqual({ b: 'c' })
  expect(pairs([[], [window('b', 'Invoice')]], before)).toEqual({})
})

test('a minimised window, which has no place, is known by its title', () => {
  const gone = { ...window('a', 'Invoice'), node: { ...window('a', 'Invoice').node, bounds: undefined } }
  expect(pairs([[gone], [window('b', 'Invoice')]])).toEqual({ b: 'a' })
  expect(pairs([[gone], [window('b', 'Invoice'), window('c', 'Invoice', { ...PLACE, x: 400 })]])).toEqual({})
})
