import { describe, expect, test } from 'vitest'
import type { TargetFacts } from '../model/index.ts'
import { call, judge, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { explain, RateCounter, type Subject } from './index.ts'
import { meanings } from './meaning.ts'

const rule = (decision: string, tool: string, more = '', priority = 500): string =>
  `[[rule]]\nname = "r"\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = ${priority}\n${more}\n`
const button = target()
const field = target({ role: 'textbox', name: 'Name', key: 'f' })
const inWindow = target({ role: 'window', name: 'Untitled' })
const framed = (x: number, y: number): TargetFacts => ({ ...inWindow, at: { x, y }, bounds: { x: 0, y: 20, w: 100, h: 100 } })
const press = (key: string): { type: string; key: string }[] => ['down', 'up'].map((type) => ({ type, key }))
const keys = (on: TargetFacts, ...names: string[]): Subject =>
  call('keys', { tool: 'pyautogui.press', args: { events: names.flatMap(press) }, targets: [on] })
const chord = (on: TargetFacts, ...chords: string[]): Subject => call('key', { args: { keys: chords }, targets: [on] })
const pointer = (on: TargetFacts, ...events: object[]): Subject =>
  call('pointer', { tool: 'pyautogui.click', args: { events }, targets: [on] })
const down = { type: 'down', button: 'left' }
const up = { type: 'up', button: 'left' }
const move = { type: 'move', x: 1, y: 1 }
const kinds = (subject: Subject): string[] => meanings(subject).map((m) => m.kind)

test.each<[string, Subject, string[]]>([
  ['a click on a point is a click', call('click_xy', { args: { x: 1, y: 1 } }), ['click']],
  ['a press is a click', pointer(button, move, down, up), ['click', 'click_xy']],
  ['a press alone is one too', pointer(button, down), ['click', 'click_xy']],
  ['moving with the button down is also a drag', pointer(button, down, move, up), ['click', 'click_xy', 'drag']],
  ['a wheel scrolls', pointer(button, { type: 'wheel', dx: 0, dy: 1 }), ['scroll']],
  ['moving hovers', pointer(button, move), ['hover']],
  [
    'the middle button on a field pastes',
    pointer(field, { type: 'down', button: 'middle' }, { type: 'up', button: 'middle' }),
    ['click', 'click_xy', 'type'],
  ],
  ['a click with the middle button pastes', call('click', { args: { button: 'middle' }, targets: [field] }), ['type']],
  ['the chord of window managers closes a window', chord(button, 'alt+F4'), ['window']],
  ['so does the one of programs', chord(button, 'ctrl+q'), ['window']],
  ['so does the one of what they show', chord(button, 'ctrl+shift+w'), ['window']],
  [
    'a press on the frame around a window may close it',
    call('click_xy', { args: { x: 9, y: 5 }, targets: [framed(9, 5)] }),
    ['click', 'window'],
  ],
  ['a press within a window does not', call('click_xy', { args: { x: 9, y: 25 }, targets: [framed(9, 25)] }), ['click']],
  ['a drag from its frame moves it', call('drag', { targets: [framed(9, 5), framed(9, 25)] }), ['window', 'click']],
  ['a press by halves on its frame, too', pointer(framed(9, 5), move, down), ['click', 'click_xy', 'window']],
  [
    'as events, too',
    call('keys', { args: { events: [{ type: 'down', key: 'Alt' }, ...press('F4'), { type: 'up', key: 'Alt' }] }, targets: [button] }),
    ['key', 'window'],
  ],
  ['a click is only itself', call('click'), []],
  ['a drag is only itself', call('drag', { targets: [target({ key: 'a' }), target({ key: 'other' })] }), []],
  ['a drag within one element is a click', call('drag', { targets: [target({ key: 'a' }), target({ key: 'a' })] }), ['click']],
  ['a drag to an entry of a menu is a click', call('drag', { targets: [target({ key: 'a' }), target({ role: 'menuitem' })] }), ['click']],
  ['a drag onto a field is typing', call('drag', { targets: [target({ key: 'a' }), field] }), ['type']],
  ['a drag within one selects', call('drag', { targets: [field, field] }), ['click']],
  ['letters are typing', keys(field, 'h', 'i'), ['key', 'type']],
  ['letters are typing wherever they go', keys(button, 'h'), ['key', 'type']],
  ['Enter in a field is typing', keys(field, 'Enter'), ['key', 'type']],
  ['Enter on a button is a click', keys(button, 'Enter'), ['key', 'click']],
  ['space on a button is a click', chord(button, 'space'), ['click']],
  ['space in a field is typing', chord(field, 'space'), ['type']],
  ['Enter in a window is both, as its focus is not known', chord(inWindow, 'Enter'), ['type', 'click']],
  ['Tab and then Enter is a click somewhere', chord(field, 'Tab', 'Enter'), ['type', 'click']],
  ['a shortcut is a shortcut', chord(button, 'ctrl+s'), []],
  ['Alt and a letter is a shortcut', chord(button, 'alt+d'), []],
  ['pasting is typing', chord(field, 'ctrl+v'), ['type']],
  ['the other way to paste', chord(field, 'shift+insert'), ['type']],
  ['cutting is typing', chord(field, 'ctrl+x'), ['type']],
  ['taking a letter away is typing', chord(field, 'Backspace'), ['type']],
  ['taking a word away is typing', chord(field, 'ctrl+Backspace'), ['type']],
  ['undoing is typing', chord(field, 'ctrl+z'), ['type']],
  ['a chord that may edit is typing', chord(field, 'ctrl+k'), ['type']],
  [
    'selecting, copying, saving and moving by words is not',
    chord(field, 'ctrl+a', 'ctrl+c', 'ctrl+s', 'ctrl+ArrowLeft', 'ctrl+shift+End'),
    [],
  ],
  ['moving about is not', chord(field, 'ArrowLeft', 'Home', 'Tab'), []],
  ['a modifier is not', keys(field, 'Shift'), ['key']],
  ['text with a space at a button is a click', call('type', { args: { text: 'a b' } }), ['click']],
  ['text with Enter behind it at a button is a click', call('type', { args: { text: '', submit: 'Enter' } }), ['click']],
  ['text with Tab behind it is not', call('type', { args: { text: 'a', submit: 'Tab' } }), []],
  ['text in a field is only itself', call('type', { args: { text: 'a b\n' }, targets: [field] }), []],
  ['looking means nothing else', call('snapshot'), []],
])('%s', (_, subject, expected) => {
  expect(kinds(subject)).toEqual(expected)
})

describe('a rule about a named action binds whatever comes down to it', () => {
  const ways: [string, Subject][] = [
    ['a point', call('click_xy', { tool: 'gui_click' })],
    ['a script', pointer(button, move, down, up)],
    ['Enter', keys(button, 'Enter')],
    ['a drag to itself', call('drag', { targets: [target({ key: 'a' }), target({ key: 'a' })] })],
  ]
  test.each(ways)('denied and asked by %s', (_, subject) => {
    const where = on('virtual')
    for (const decision of ['deny', 'ask_user']) {
      const p = policy(rule(decision, 'ui.click', 'when = { name = "Save", risk = ["low", "medium", "high"] }'))
      expect(verdict(p, subject, where)).toBe(decision)
      expect(verdict(p, { ...subject, targets: subject.targets.map((t) => ({ ...t, name: 'Other' })) }, where)).not.toBe('deny')
    }
    expect(judge(policy(rule('deny', 'ui.click')), subject, where)).toMatchObject({
      reason: `"r" (rules.toml:1) denies ui.click, which ${subject.tool} comes down to here.`,
      rule: { name: 'r' },
    })
  })

  test('an allow widens nothing, and what may be clicked may be pressed as far as its own rules go', () => {
    const low = 'when = { risk = ["low", "medium", "high"] }'
    const allow = policy(rule('allow', 'ui.click', low))
    expect(verdict(allow, ways[0]![1])).toBe('ask_user')
    const free = policy(rule('allow', 'ui.click_xy', low))
    expect(verdict(free, ways[0]![1])).toBe('allow')
    const weighed = policy(rule('deny', 'ui.click', '', 100) + rule('allow', '*', low, 900))
    expect(verdict(weighed, ways[0]![1])).toBe('allow')
  })

  test('a change of the value of a spin button is one of the field in it, whichever of the two a rule names', () => {
    const spin = target({ role: 'spinbutton', name: 'Betrag', key: 's', reached: 'type' })
    const arrow = { ...chord(field, 'ArrowUp'), targets: [field, spin] }
    for (const name of ['Betrag', 'Name'])
      expect(verdict(policy(rule('deny', 'ui.type', `when = { name = "${name}" }`)), arrow)).toBe('deny')
    expect(verdict(policy(rule('deny', 'ui.type', 'when = { name = "Other" }')), arrow)).not.toBe('deny')
  })

  test('text that is typed key by key is looked at', () => {
    const p = policy(rule('deny', 'ui.type', 'when = { text = "*rm -rf*" }'))
    expect(verdict(p, keys(field, ...'rm -rf /'))).toBe('deny')
    expect(verdict(p, keys(field, ...'ls'))).not.toBe('deny')
    expect(verdict(policy(rule('deny', '*', 'when = { text = "*rm -rf*" }')), chord(field, ...'rm-rf', ' '))).not.toBe('deny')
  })

  test('its obligations hold too, and the stricter of two', () => {
    const p = policy(
      rule('allow', 'ui.type', 'obligations = { redact = true, evidence = "encrypted" }') +
        rule('allow', 'ui.keys', 'obligations = { verify = true, evidence = "hash" }'),
    )
    expect(judge(p, keys(field, 'a')).obligations).toEqual({ redact: true, evidence: 'encrypted', verify: true })
    expect(judge(p, keys(field, 'Tab')).obligations).toEqual({ verify: true, evidence: 'hash' })
  })

  test('its rate counts every press, whichever way it was made', () => {
    const p = policy(
      rule('allow', 'ui.click', 'rateLimit = { max = 3, seconds = 10 }') + rule('allow', '*', 'when = { risk = ["medium"] }', 1),
    )
    const rates = new RateCounter()
    const at = on('virtual', { rates, now: 1000 })
    const twice = pointer(button, move, down, up, { ...move, x: 9 }, down, up)
    rates.record(twice, 900)
    expect(judge(p, twice, at)).toMatchObject({ verdict: 'deny', code: 'RATE_LIMITED' })
    expect(judge(p, call(), at).verdict).toBe('allow')
    rates.record(keys(button, 'Enter'), 950)
    expect(judge(p, call(), at)).toMatchObject({ code: 'RATE_LIMITED' })
  })

  test('the explanation names the rule and what the call comes down to', () => {
    const { text, rules } = explain(policy(rule('deny', 'ui.click')), ways[0]![1], on('virtual'))
    expect(text).toContain('"r" (rules.toml:1), as ui.click: the strongest that matches')
    expect(rules[0]).toMatchObject({ won: true, matched: true })
  })
})
