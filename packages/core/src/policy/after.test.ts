import { describe, expect, test } from 'vitest'
import { call, inApp, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { assess } from './risk.ts'
import { RateCounter, replayDecisions, type Setting, type Subject } from './index.ts'

const NOW = on().now
const rule = (when: string, tool = 'ui.click'): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "deny"\npriority = 500\nwhen = { ${when} }\n`

/** The setting behind these calls, each so many seconds ago. */
function behind(...calls: [Subject, number][]): Setting {
  const rates = new RateCounter()
  for (const [subject, ago] of calls.toSorted((a, b) => b[1] - a[1])) rates.record(subject, NOW - ago * 1000)
  return on('sandbox', { rates })
}

describe('rules about what came before', () => {
  const vault = inApp('/usr/bin/vault')
  const send = call('click', { targets: [inApp('/usr/bin/mailer', { name: 'Forward' })] })
  const p = policy(rule('app = "mailer", after = { tool = "ui.*", app = "vault", within = 600 }'))

  test('read here, send there', () => {
    expect(verdict(p, send, behind())).toBe('allow')
    expect(verdict(p, send, behind([call('describe', { targets: [vault] }), 30]))).toBe('deny')
    expect(verdict(p, send, behind([call('describe', { targets: [vault] }), 601]))).toBe('allow')
    expect(verdict(p, send, behind([call('describe', { targets: [target()] }), 30]))).toBe('allow')
    expect(verdict(p, send, behind([call('describe', { targets: [vault], principal: { id: 'other', role: 'agent' } }), 30]))).toBe('allow')
  })

  test('read here by one agent, send there by another, where the rule says so', () => {
    const shared = policy(rule('app = "mailer", after = { tool = "ui.*", app = "vault", within = 600, shared = true }'))
    const read = call('describe', { targets: [vault], principal: { id: 'other', role: 'agent' } })
    expect(verdict(shared, send, behind([read, 30]))).toBe('deny')
    expect(verdict(shared, send, behind([read, 601]))).toBe('allow')
  })

  test('a look at everything was a look there', () => {
    expect(verdict(p, send, behind([call('snapshot', { targets: [] }), 30]))).toBe('deny')
  })

  test('the tenth deletion in a minute', () => {
    const many = policy(rule('name = "Archive*", after = { tool = "ui.click", name = "Archive*", within = 60, times = 9 }'))
    const one = call('click', { targets: [target({ name: 'Archive this' })] })
    const before = (n: number, ago: number): Setting => behind(...Array.from({ length: n }, (): [Subject, number] => [one, ago]))
    expect(verdict(many, one, before(8, 10))).toBe('allow')
    expect(verdict(many, one, before(9, 10))).toBe('deny')
    expect(verdict(many, one, before(9, 61))).toBe('allow')
    const disguised = call('click', { targets: [target({ name: 'Arch\u200bive this' })] })
    expect(verdict(many, disguised, before(9, 10))).toBe('deny')
  })

  test('counts what calls meant: a deletion by the pointer or by Enter is one', () => {
    const many = policy(rule('name = "Archive*", after = { tool = "ui.click", name = "Archive*", within = 60, times = 2 }'))
    const archive = target({ name: 'Archive this' })
    const byPixel = call('click_xy', { args: { x: 1, y: 1 }, targets: [archive] })
    const byEnter = call('key', { args: { keys: 'Enter' }, targets: [archive] })
    const one = call('click', { targets: [archive] })
    expect(verdict(many, one, behind([byPixel, 5], [byEnter, 4]))).toBe('deny')
    expect(verdict(many, one, behind([byPixel, 5]))).toBe('allow')
    expect(verdict(many, byEnter, behind([one, 5], [one, 4]))).toBe('deny')
  })

  test('counts presses and not calls: a list of keys, a text of spaces and a double click press a button as often as they say', () => {
    const many = policy(rule('name = "Archive*", after = { tool = "ui.click", name = "Archive*", within = 60, times = 3 }'))
    const archive = target({ name: 'Archive this' })
    const one = call('click', { targets: [archive] })
    const keys = (n: number): Subject => call('key', { args: { keys: Array<string>(n).fill('space') }, targets: [archive] })
    const typed = call('type', { args: { text: '    ' }, targets: [archive] })
    const clicked = call('click', { args: { clickCount: 3 }, targets: [archive] })
    const reached = call('key', {
      args: { keys: ['Enter', 'Enter', 'Enter', 'Enter'] },
      targets: [target({ role: 'textbox', name: 'Note' }), target({ ...archive, key: 'reached', reached: 'click' })],
    })
    expect(verdict(many, keys(3), behind())).toBe('allow')
    for (const at_once of [keys(4), typed, reached]) expect(verdict(many, at_once, behind())).toBe('deny')
    expect(verdict(many, one, behind([keys(2), 5]))).toBe('allow')
    for (const before of [keys(3), typed, clicked, reached]) expect(verdict(many, one, behind([before, 5]))).toBe('deny')
  })

  test('what a call meant lets nothing through', () => {
    const only = policy(
      `${rule('app = "*"').replace('500', '100')}${rule('after = { tool = "ui.click", within = 60 }').replace('deny', 'allow')}`,
    )
    const one = call('click')
    expect(verdict(only, one, behind([one, 5]))).toBe('allow')
    expect(verdict(only, one, behind([call('click_xy', { args: { x: 1, y: 1 } }), 5]))).toBe('deny')
  })

  test.each([
    ['alike', () => 'Next'],
    ['each of another element', (i: number) => `Row ${i}`],
  ])('no flood of calls makes them forget: 30,000 %s', (_, name) => {
    const read = call('describe', { targets: [vault] })
    const others = Array.from({ length: 30_000 }, (__, i): [Subject, number] => [
      call('hover', { targets: [target({ name: name(i) })] }),
      20,
    ])
    expect(verdict(p, send, behind([read, 30], ...others))).toBe('deny')
    expect(verdict(p, send, behind([read, 601], ...others.slice(0, 3_000)))).toBe('allow')
  })

  test('a flood counts neither more nor less often than it was let through', () => {
    const many = policy(rule('name = "Archive*", after = { tool = "ui.click", name = "Archive*", within = 60, times = 9 }'))
    const one = call('click', { targets: [target({ name: 'Archive this' })] })
    const others = Array.from({ length: 20_000 }, (): [Subject, number] => [call('click', { targets: [target({ name: 'Next' })] }), 5])
    const before = (n: number): Setting => behind(...Array.from({ length: n }, (): [Subject, number] => [one, 10]), ...others)
    expect(verdict(many, one, before(8))).toBe('allow')
    expect(verdict(many, one, before(9))).toBe('deny')
  })

  test('a flood of calls that each press another number of times takes bounded room, and counts as often as it pressed', () => {
    const rates = new RateCounter()
    const archive = target({ name: 'Archive this' })
    let presses = 0
    for (let i = 0; i < 8_100; i++) {
      const times = (i % 90) + 1
      presses += times
      const pressed = call('key', { args: { keys: Array<string>(times).fill('Enter') }, targets: [archive] })
      rates.record({ ...pressed, tool: `tool${Math.floor(i / 90)}` }, NOW)
    }
    const past = rates.past('agent', NOW - 1)
    const clicks = past.map((was) => Math.max(...was.filter((w) => w.kind === 'click').map((w) => w.times ?? 1)))
    expect(past.length).toBeLessThan(8_000)
    expect(clicks.reduce((sum, n) => sum + n, 0)).toBe(presses)
  })

  test('a replay counts through the record', () => {
    const calls = [call('describe', { targets: [vault] }), send].map((subject, i) => ({
      ...subject,
      risk: { level: 'low' as const, score: 0, factors: [] },
      decision: { verdict: 'allow' as const, reason: '', obligations: {} },
      time: new Date(NOW + i * 1000).toISOString(),
    }))
    const rows = replayDecisions(p, calls, { setting: on('sandbox', { rates: new RateCounter() }) })
    expect(rows.map((r) => [r.now.verdict, r.differs])).toEqual([
      ['allow', false],
      ['deny', true],
    ])
  })
})

describe('a stated intent', () => {
  const factors = (intent: string | undefined, name = 'Delete account') =>
    assess(call('click', { intent, targets: [target({ name, path: ['Untitled', name] })] }), on()).factors.map((f) => f.id)

  test('that quotes another thing raises the risk', () => {
    expect(factors('Click "Save draft" for the user')).toContain('intent.other')
    expect(factors('press „Speichern“')).toContain('intent.other')
  })

  test('that names what is touched, or quotes nothing, does not', () => {
    for (const intent of ['Click "Delete account"', 'press "delete"', 'tidy up', undefined, 'in "Untitled" remove it'])
      expect([intent, factors(intent).includes('intent.other')]).toEqual([intent, false])
  })
})
