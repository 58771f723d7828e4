import { describe, expect, test } from 'vitest'
import { call, judge, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { KINDS, type ActionKind, type InputGrant, type Mode } from '../model/index.ts'
import type { Setting, Subject } from './index.ts'

type Input = InputGrant['input']

interface Expected {
  /** `defers`: a question, or code whose calls are decided one by one; no mode holds these back. */
  does: 'looks' | 'acts' | 'defers'
  /** The grants under which it passes in the restricted mode. */
  grants: readonly Input[]
  /** A rule that denies it for an application hides the application. */
  hides?: true
  /** What text from the screen in its arguments adds to the risk. */
  tainted?: 'taint.text' | 'taint.target'
  /** Without a known target it is riskier. */
  touches?: true
}

const MOUSE = ['mouse', 'any'] as const
const KEYBOARD = ['keyboard', 'any'] as const
const EITHER = ['keyboard', 'mouse', 'any'] as const
const look: Expected = { does: 'looks', grants: [] }
const act: Expected = { does: 'acts', grants: [], tainted: 'taint.target', touches: true }

/** What every kind is expected to be, written down without the table under test. */
const EXPECTED: Record<ActionKind, Expected> = {
  capabilities: look,
  snapshot: { ...look, hides: true },
  query: { ...look, hides: true },
  describe: { ...look, hides: true },
  capture: look,
  wait: { ...look, hides: true },
  assert: { ...look, hides: true },
  apps: { ...look, hides: true },
  screens: look,
  clipboard_read: look,
  plan: look,
  click: { ...act, grants: MOUSE },
  click_xy: { ...act, grants: MOUSE },
  pointer: { ...act, grants: MOUSE },
  drag: { ...act, grants: MOUSE },
  hover: { ...act, grants: MOUSE },
  scroll: { ...act, grants: MOUSE },
  focus: { ...act, grants: EITHER },
  window: { ...act, grants: EITHER },
  close: { ...act, grants: EITHER },
  launch: { ...act, grants: EITHER, tainted: 'taint.text', touches: undefined },
  type: { ...act, grants: KEYBOARD, tainted: 'taint.text' },
  key: { ...act, grants: KEYBOARD, tainted: 'taint.text' },
  keys: { ...act, grants: KEYBOARD, tainted: 'taint.text' },
  clipboard_write: { ...act, grants: KEYBOARD, tainted: 'taint.text' },
  simulate: { ...act, touches: undefined },
  ask: { does: 'defers', grants: [], tainted: 'taint.target' },
  code: { does: 'defers', grants: [], tainted: 'taint.text' },
}

const free = policy(
  '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 1\nwhen = { risk = ["low", "medium", "high", "prohibited"] }\n',
)
const subject = (kind: ActionKind, over: Partial<Subject> = {}): Subject =>
  call(kind, { args: kind === 'launch' ? { app: 'mousepad' } : {}, ...over })
const isHeldBack = (kind: ActionKind, setting: Setting): boolean => judge(free, subject(kind), setting).code === 'MODE_TOO_LOW'
const factors = (kind: ActionKind, over: Partial<Subject> = {}): string[] =>
  free.assess(subject(kind, over), on()).factors.map((factor) => factor.id)

describe.each(KINDS)('%s', (kind) => {
  const { does, grants, hides, tainted, touches } = EXPECTED[kind]

  test.each<Mode>(['simulation_only', 'allow_actual_input_restricted'])('is held back by %s on a person’s desktop if it acts', (mode) => {
    expect(isHeldBack(kind, on('host', { mode }))).toBe(does === 'acts')
    expect(isHeldBack(kind, on('sandbox', { mode }))).toBe(false)
    expect(isHeldBack(kind, on('virtual', { mode }))).toBe(false)
  })

  test('passes the full mode', () => {
    expect(isHeldBack(kind, on('host', { mode: 'allow_actual_input_full' }))).toBe(false)
  })

  test.each<Input>(['keyboard', 'mouse', 'any'])('needs a grant that covers its device: %s', (input) => {
    const given = (apps: string[], until = Infinity) =>
      on('host', { mode: 'allow_actual_input_restricted', inputGrants: [{ apps, input, until }] })
    expect(isHeldBack(kind, given(['mousepad']))).toBe(does === 'acts' && !grants.includes(input))
    expect(isHeldBack(kind, given(['another']))).toBe(does === 'acts')
    expect(isHeldBack(kind, given(['mousepad'], 0))).toBe(does === 'acts')
  })

  test('hides what a rule denies it for only if it looks at elements', () => {
    const denied = policy(`[[rule]]\ntoolName = "ui.${kind}"\ndecision = "deny"\npriority = 500\nwhen = { app = "mousepad" }\n`)
    const { app } = target()
    if (app === undefined) throw new Error('the sample has an application')
    for (const role of ['agent', 'viewer', 'operator'] as const) {
      expect(denied.visible(app, { id: 'x', role }, on())).toBe(!hides || role === 'operator')
      expect(denied.sees(target(), { id: 'x', role }, on())).toBe(!hides || role === 'operator')
    }
    expect(verdict(denied, subject(kind))).toBe('deny')
  })

  test('is open to a viewer only if it looks, whatever the rules and the mode allow', () => {
    const watched = subject(kind, { principal: { id: 'watcher', role: 'viewer' } })
    for (const desktop of ['host', 'sandbox', 'virtual'] as const)
      expect(judge(free, watched, on(desktop)).code).toBe(does === 'looks' ? undefined : 'UNAUTHORIZED')
  })

  test('reaches nothing of Deskhand itself', () => {
    const own = on('sandbox', { own: { pids: [100], consoleUrls: [] } })
    for (const role of ['agent', 'viewer'] as const)
      expect(verdict(free, subject(kind, { principal: { id: 'x', role } }), own)).toBe('deny')
  })

  test('weighs something if it acts, and more with text from the screen or without a known target', () => {
    if (does === 'acts' && kind !== 'simulate') expect(factors(kind)).toContainEqual(expect.stringMatching(/^action\./))
    const added = factors(kind, { tainted: true }).filter((id) => id.startsWith('taint.'))
    expect(added).toEqual(tainted === undefined ? [] : [tainted])
    expect(factors(kind, { targets: [] }).includes('source.unknown')).toBe(touches === true)
  })

  test('is read-only in the eyes of a rule if it looks, whatever its tool says of itself', () => {
    const readers = policy(
      '[[rule]]\ntoolName = "*"\ntoolAnnotations = { readOnlyHint = false }\ndecision = "deny"\npriority = 900\n[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 1\n',
    )
    for (const readOnlyHint of [true, false])
      expect(verdict(readers, subject(kind, { annotations: { readOnlyHint } }))).toBe(does === 'looks' ? 'allow' : 'deny')
  })
})
