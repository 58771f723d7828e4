import { describe, expect, test } from 'vitest'
import { call, inApp, judge, on, target, verdict } from '../../test/policy-samples.ts'
import { openPolicy, PRESETS, presetText, type Preset, type Subject } from './index.ts'

const low = call()
const medium = call('click', { targets: [target({ name: 'Delete' })] })
const high = call('click', { targets: [inApp('/usr/bin/gnucash', { name: 'Delete' })] })
const point = call('click_xy', { args: { x: 1, y: 1 }, targets: [target({ source: 'pixel' })] })
const shot = call('capture')
const look = call('snapshot')

const table: Record<Preset, Record<'host' | 'sandbox' | 'virtual', string>> = {
  observe: {
    host: 'look: allow, shot: deny, low: deny, medium: deny, high: deny, point: deny',
    sandbox: 'look: allow, shot: allow, low: deny, medium: deny, high: deny, point: deny',
    virtual: 'look: allow, shot: allow, low: deny, medium: deny, high: deny, point: deny',
  },
  supervised: {
    host: 'look: allow, shot: deny, low: allow, medium: ask_user, high: ask_user, point: deny',
    sandbox: 'look: allow, shot: allow, low: allow, medium: allow, high: ask_user, point: allow',
    virtual: 'look: allow, shot: allow, low: allow, medium: allow, high: allow, point: allow',
  },
  sandbox: {
    host: 'look: allow, shot: deny, low: deny, medium: deny, high: deny, point: deny',
    sandbox: 'look: allow, shot: allow, low: allow, medium: allow, high: allow, point: allow',
    virtual: 'look: allow, shot: allow, low: allow, medium: allow, high: allow, point: allow',
  },
  unattended: {
    host: 'look: allow, shot: deny, low: allow, medium: deny, high: deny, point: deny',
    sandbox: 'look: allow, shot: allow, low: allow, medium: allow, high: deny, point: allow',
    virtual: 'look: allow, shot: allow, low: allow, medium: allow, high: allow, point: allow',
  },
}

describe.each(PRESETS)('%s', (preset) => {
  const p = openPolicy({ preset })

  test.each(['host', 'sandbox', 'virtual'] as const)('on a %s desktop', (desktop) => {
    const setting = on(desktop, { interactive: preset !== 'unattended' })
    const calls: Record<string, Subject> = { look, shot, low, medium, high, point }
    const verdicts = Object.entries(calls).map(([name, subject]) => `${name}: ${verdict(p, subject, setting)}`)
    expect(verdicts.join(', ')).toBe(table[preset][desktop])
  })

  test('reads in a minute: few rules, each with a name, and a first line that says what it is', () => {
    const text = presetText(preset)
    expect(text.split('\n')[0]).toMatch(new RegExp(`^# ${preset}: .+`))
    expect(text.split('\n').length).toBeLessThan(75)
    expect(text.match(/^\[\[rule\]\]$/gm)?.length).toBe(text.match(/^name = ".+"$/gm)?.length)
  })

  test('denies coordinate clicks and screenshots of a host desktop whichever tool asks', () => {
    const host = on('host')
    for (const tool of ['gui_click', 'script.run', 'ui.click_xy']) expect(verdict(p, { ...point, tool }, host)).toBe('deny')
    for (const tool of ['gui_screenshot', 'script.run', 'ui.capture']) expect(verdict(p, { ...shot, tool }, host)).toBe('deny')
    expect(verdict(p, call('pointer', { args: { events: [] } }), host)).toBe('deny')
    expect(verdict(p, call('drag', { targets: [target(), target({ source: 'pixel' })] }), host)).toBe('deny')
  })
})

test('a rule of the operator overrules a preset, as far as the risk allows', () => {
  const p = openPolicy({ preset: 'supervised' })
  expect(judge(p, point, on('host')).rule).toMatchObject({ file: 'presets/supervised.toml', tier: 'builtin' })
  expect(judge(p, point, on('host')).reason).toContain('use ui.click')
})

test('the bundled Python, which reaches nothing of a person’s desktop, asks nobody; scripts and the host’s Python do', () => {
  const p = openPolicy({ preset: 'supervised' })
  const code = (args: object): Subject => call('code', { args, targets: [] })
  expect(verdict(p, code({ code: 'print(1)', engine: 'bundled' }), on('host'))).toBe('allow')
  for (const engine of ['pyautogui', 'system']) expect(verdict(p, code({ code: 'print(1)', engine }), on('host'))).toBe('ask_user')
})

test('text from the screen goes nowhere unattended', () => {
  const p = openPolicy({ preset: 'unattended' })
  expect(verdict(p, call('type', { args: { text: 'x' } }), on('host'))).toBe('allow')
  expect(verdict(p, call('type', { args: { text: 'x' }, tainted: true }), on('host'))).toBe('deny')
})
