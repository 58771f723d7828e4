import { beforeAll, describe, expect, test } from 'vitest'
import { KINDS, type ActionKind } from '@deskhand/core/model'
import { AGENT, desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const CANARY = 'canary-77 of the harbour'
const FIELD = 'name="Name"'
const events = Array.from(CANARY).flatMap((key) => ['down', 'up'].map((type) => ({ type, key })))

interface Sample {
  args: unknown
  /** It enters the text in its arguments. */
  enters?: true
  /** Of a kind that looks: whether its answer holds what stands on the screen or the clipboard. */
  shows?: boolean
}

/** Every kind with text in each argument that can hold what is entered. */
const SAMPLES: Record<ActionKind, Sample> = {
  capabilities: { args: {}, shows: false },
  snapshot: { args: { scope: 'desktop' }, shows: true },
  query: { args: { selector: FIELD }, shows: true },
  describe: { args: { element: FIELD }, shows: true },
  capture: { args: { format: 'raw' }, shows: false },
  wait: { args: { until: { uiState: { target: 'role=label', present: true } } }, shows: false },
  assert: { args: { condition: { uiState: { target: 'role=label', present: true } } }, shows: false },
  apps: { args: {}, shows: true },
  screens: { args: {}, shows: false },
  clipboard_read: { args: {}, shows: true },
  plan: { args: { actions: [{ tool: 'ui.type', kind: 'type', args: { target: FIELD, text: CANARY } }] }, shows: true },
  click: { args: { target: FIELD } },
  click_xy: { args: { x: 1, y: 1 } },
  pointer: { args: { events: [{ type: 'move', x: 1, y: 1 }] } },
  drag: { args: { from: FIELD, to: { x: 1, y: 1 } } },
  hover: { args: { target: FIELD } },
  scroll: { args: { target: FIELD, deltaY: 1 } },
  focus: { args: { target: FIELD } },
  window: { args: { op: 'activate' } },
  close: { args: { app: 'virtual:form' } },
  launch: { args: { app: 'mousepad', args: [CANARY] }, enters: true },
  type: { args: { target: FIELD, text: CANARY, verify: { uiState: { value: CANARY } } }, enters: true },
  key: { args: { target: FIELD, keys: Array.from(CANARY, (c) => (c === ' ' ? 'space' : `shift+${c}`)) }, enters: true },
  keys: { args: { events }, enters: true },
  clipboard_write: { args: { text: CANARY }, enters: true },
  simulate: { args: {} },
  ask: { args: { question: 'alert', message: 'Go on?' } },
  code: { args: { code: `print("${CANARY}")`, args: [CANARY] }, enters: true },
}

/** What only code, questions and the looks do; all else is input or replaces what is shown. */
const FREE: ReadonlySet<ActionKind> = new Set(KINDS.filter((kind) => SAMPLES[kind].shows !== undefined))

const VAULT = window('Vault of Canterbury', [element('text_field', 'Name', { value: CANARY, is_focused: true }), element('label', CANARY)])
const HIDE = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { app = "virtual:vault of canterbury" }\n'

const REDACT = '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 500\nobligations = { redact = true }\n'
const open = (label = CANARY, policy = ''): Promise<TestDesk> =>
  desk({
    ui: { windows: [{ ...window('Form', [element('text_field', 'Name', { value: label }), element('label', label)]), label_text: label }] },
    policy,
  })

const rehearse = (d: TestDesk, kind: ActionKind) =>
  d.session.call({ tool: `ui.${kind}`, kind, args: SAMPLES[kind].args, principal: AGENT, dryRun: true })
const taintOf = (factors: readonly { id: string }[] = []): string[] => factors.flatMap((f) => (f.id.startsWith('taint.') ? [f.id] : []))

describe.each(KINDS)('%s', (kind) => {
  const { enters } = SAMPLES[kind]
  let seen: TestDesk

  beforeAll(async () => {
    seen = await open()
    await seen.call('ui.snapshot', { scope: 'desktop' })
  })

  test('keeps nothing of what it enters where a rule asks for redaction', async () => {
    const d = await open('empty', REDACT)
    const { risk } = await rehearse(d, kind)
    expect(risk).toBeDefined()
    const text = JSON.stringify(await d.journal())
    expect(text).toContain('"type":"decided"')
    expect(text).not.toContain(CANARY)
    if (enters) expect(text).toContain('"redacted":true')
    expect(/shift\+c|"key":"c"/.test(text)).toBe(false)
  })

  test('is tainted by what it enters from the screen', async () => {
    const { risk } = await rehearse(seen, kind)
    // What is started, or dropped somewhere else, also carries the text from one application to another.
    expect(taintOf(risk?.factors).filter((id) => id !== 'taint.carried')).toEqual(enters ? ['taint.text'] : [])
  })
})

/** The call as a face makes it; a question to a person is only rehearsed, as it would wait for one. */
const perform = (d: TestDesk, kind: ActionKind, callId?: string) =>
  d.session.start({ tool: `ui.${kind}`, kind, args: SAMPLES[kind].args, principal: AGENT, callId, dryRun: kind === 'ask' })

describe.each(KINDS)('%s', (kind) => {
  test('tells nothing of an application that a rule hides, whether it is carried out or refused', async () => {
    const d = await desk({ ui: { windows: [window('Open', [element('button', 'Go')]), VAULT] }, policy: HIDE })
    const { images: _, ...told } = await perform(d, kind).result
    expect(JSON.stringify(told)).not.toMatch(/Canterbury|harbour/i)
  })

  test('is refused while the desktop is stopped, and waits while it is paused, unless it looks', async () => {
    const d = await open('empty')
    await d.session.invoke('stop', {}, OPERATOR)
    const refused = await perform(d, kind, 'stopped').result
    expect(refused.error?.code === 'STOPPED').toBe(!FREE.has(kind))
    await d.session.invoke('resume', {}, OPERATOR)
    await d.session.invoke('pause', {}, OPERATOR)
    const before = (await d.journal()).length
    const held = perform(d, kind, 'paused')
    if (FREE.has(kind)) return void (await held.result)
    // A look that was sent after it goes through; of what waits nothing is decided yet.
    await d.call('ui.snapshot')
    const entries = (await d.journal()).slice(before)
    expect(entries.filter((e) => e.type === 'decided').map((e) => e.kind)).toEqual(['snapshot'])
    await d.session.invoke('resume', {}, OPERATOR)
    await held.result
    expect((await d.journal()).some((e) => e.type === 'decided' && e.kind === kind)).toBe(true)
  })
})

test.each(KINDS.filter((kind) => SAMPLES[kind].shows !== undefined))(
  '%s taints what is entered after it if its answer holds what the screen says',
  async (looking) => {
    const d = await open()
    if (looking === 'clipboard_read') await perform(d, 'clipboard_write').result
    expect((await perform(d, looking).result).status).toBe('success')
    const { risk } = await rehearse(d, 'type')
    expect(taintOf(risk?.factors)).toEqual(SAMPLES[looking].shows ? ['taint.text'] : [])
  },
)
