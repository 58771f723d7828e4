import { expect, test } from 'vitest'
import { faceOf } from './face.ts'

const role = (type: number, facts: object = {}): string => faceOf({ id: '42.1', parent: 0, facts: { controlType: type, ...facts } }).role

test('control types are roles, and patterns make a difference', () => {
  expect([50000, 50004, 50012, 50025, 50032, 50036, 50040].map((type) => role(type))).toEqual([
    'button',
    'textbox',
    'progressbar',
    'unknown',
    'window',
    'table',
    'toolbar',
  ])
  expect([role(50000, { canToggle: true }), role(50007, { isSelectable: true }), role(50029, { isGridItem: true })]).toEqual([
    'togglebutton',
    'option',
    'cell',
  ])
  expect(role(49999)).toBe('unknown')
})

test('a leaf cannot be unfolded, and what is read-only takes no text', () => {
  const leaf = faceOf({ id: '42.1', parent: 0, facts: { controlType: 50024, canExpand: true, expandState: 3 } })
  expect(leaf.states.expanded).toBeUndefined()
  expect(leaf.actions).toBeUndefined()
  const fixed = faceOf({
    id: '42.1',
    parent: 0,
    facts: { controlType: 50004, hasValue: true, value: 'x', valueReadOnly: true, password: false },
  })
  expect(fixed).toMatchObject({ value: 'x', states: { editable: false } })
  expect(fixed.actions).toBeUndefined()
})

test('an element without a runtime id has none', () => {
  expect(faceOf({ id: '0/3', parent: 0, facts: { controlType: 50000 } }).platformIds).toEqual({})
})
