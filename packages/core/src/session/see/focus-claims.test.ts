import { expect, test } from 'vitest'
import type { UiNode } from '../../model/index.ts'
import { FocusClaims } from './focus-claims.ts'

const node = (key: string, more: Partial<UiNode> = {}): UiNode => ({
  key,
  index: 0,
  role: 'button',
  app: { id: 'a', name: 'a' },
  children: [],
  ...more,
  states: { focused: true, ...more.states },
})

/** What has the focus when all of these say so, in this order. */
function focusOf(nodes: UiNode[], window?: string): string | undefined {
  const claims = new FocusClaims()
  for (const one of nodes) claims.hear(one)
  return claims.of(window === undefined ? undefined : node(window, { role: 'window' }))
}

test('an element that is hidden never has the focus, whatever it says', () => {
  expect(focusOf([node('field'), node('page', { states: { visible: false } })])).toBe('field')
  expect(focusOf([node('page', { states: { visible: false } })])).toBeUndefined()
})

test('an element beyond the edge of the screen can have the focus', () => {
  expect(focusOf([node('field', { states: { visible: false }, attributes: { offScreen: true } })])).toBe('field')
})

test('of several that claim the focus, the one that takes text has it', () => {
  expect(focusOf([node('line 2:9'), node('editor', { role: 'textbox', states: { editable: true } }), node('mode')])).toBe('editor')
})

test('the innermost has it, not the list around it', () => {
  const list = node('list')
  expect(focusOf([node('entry', { parent: list }), list])).toBe('entry')
})

test('the active window comes before the others, and the latest before those who said so earlier', () => {
  const [front, back] = [node('front', { states: { focused: false } }), node('back', { states: { focused: false } })]
  const claims = [node('one', { parent: front }), node('two', { parent: front }), node('three', { parent: back })]
  expect(focusOf(claims, 'front')).toBe('two')
  expect(focusOf(claims)).toBe('three')
})

test('behind a dialog the pane of another window goes on claiming the focus in vain, and an open list has it', () => {
  const [pane, entry] = [node('pane', { role: 'panel' }), node('entry', { role: 'listitem' })]
  expect(focusOf([pane], 'dialog')).toBeUndefined()
  expect(focusOf([entry, pane], 'dialog')).toBe('entry')
  expect(focusOf([pane])).toBe('pane')
})

test('what the driver itself says holds until another element claims the focus', () => {
  const claims = new FocusClaims()
  claims.hear(node('one'))
  claims.tell('two')
  expect(claims.of(undefined)).toBe('two')
  claims.hear(node('three'))
  expect(claims.of(undefined)).toBe('three')
})

test('an element of another application than the active one has no focus, though it has not said that it lost it', () => {
  expect(focusOf([node('note', { app: { id: 'b', name: 'b' } })], 'window')).toBeUndefined()
})

test('a field of a window behind the active one has no focus, though it says so; one in a popup may', () => {
  const behind = node('behind', { role: 'window', attributes: { z: 0 }, states: { focused: false } })
  const popup = node('popup', { role: 'window', states: { focused: false } })
  expect(focusOf([node('field', { parent: behind })], 'dialog')).toBeUndefined()
  expect(focusOf([node('field', { parent: behind }), node('entry', { parent: popup })], 'dialog')).toBe('entry')
})
