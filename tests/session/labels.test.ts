import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { TOOLS } from '../../packages/deskhand/src/tools/list.ts'
import { desk, element, OPERATOR, window } from '../support/desk.ts'

/** Every text of what is hidden has this mark in it; no call of the agent's does. */
const MARK = 'Zqx'
const HIDDEN = ['app = "virtual:vault"', `window = "${MARK}*"`, `name = "${MARK}*", role = ["window", "dialog"]`]

const ui = {
  windows: [
    window('App', [
      element('button', 'Next', { attributes: { on: { click: [{ do: 'focus', element: 'text_field_zqx_field' }] } } }),
      element('button', 'Rename', { attributes: { on: { click: [{ do: 'set', element: 'app', label_text: `${MARK} renamed` }] } } }),
      element('text_field', 'Name'),
      element('checkbox', 'Remember me'),
      { ...element('dialog', `${MARK} dialog`), children: [element('button', `${MARK} answer`)] },
    ]),
    {
      ...window(`${MARK} vault`, [element('text_field', `${MARK} field`, { value: `${MARK} value` }), element('button', `${MARK} button`)]),
      attributes: { app: 'vault' },
    },
  ],
}

const target = fc.oneof(
  fc.nat(30).map((n) => `e${n}`),
  fc.constantFrom(
    'role=window',
    'role=dialog',
    'role=button >> nth=0',
    'role=button >> nth=1',
    'role=textbox',
    'role=textbox >> nth=1',
    'name="Next"',
    'focused=true',
    'name="Nxt"',
    'name="Next" >> right-of',
    'app="vault"',
  ),
)
const point = { x: fc.integer({ min: 0, max: 1300 }), y: fc.integer({ min: 0, max: 800 }) }
const keys = fc.array(fc.constantFrom('Tab', 'alt+Tab', 'shift+Tab', 'a', 'Enter', 'Escape', 'ArrowDown', 'ctrl+a'), {
  minLength: 1,
  maxLength: 4,
})
const condition = fc.oneof(
  target.map((t) => ({ uiState: { target: t, value: 'x', name: 'x' } })),
  fc.constant({ windowTitle: 'x' }),
  fc.constant({ textVisible: 'x' }),
)

/** Arguments for every kind of call that an agent can make; what does not fit a tool is refused by it, with a message that is looked at too. */
const args: Record<string, fc.Arbitrary<unknown>> = {
  'ui.snapshot': fc.record({
    scope: fc.constantFrom('window', 'app', 'desktop'),
    all: fc.boolean(),
    includeTree: fc.boolean(),
    includeTextIndex: fc.boolean(),
  }),
  'ui.query': target.map((selector) => ({ selector })),
  'ui.describe': target.map((t) => ({ element: t })),
  'ui.wait': condition.map((until) => ({ until, timeoutMs: 0 })),
  'ui.assert': condition.map((c) => ({ condition: c })),
  'ui.click': fc.record({ target }),
  'ui.click_xy': fc.record(point),
  'ui.hover': fc.record({ target }),
  'ui.focus': fc.record({ target }),
  'ui.scroll': fc.record({ deltaY: fc.constant(3) }),
  'ui.type': fc.oneof(fc.record({ target, text: fc.constantFrom('b', 'b\tc') }), fc.record({ text: fc.constantFrom('b', 'b\tc\td') })),
  'ui.key': fc.record({ keys }),
  'ui.drag': fc.record({ from: target, to: fc.oneof(target, fc.record(point)) }),
  'ui.window': fc.record({ op: fc.constantFrom('activate', 'minimize', 'restore', 'close') }),
  gui_click: fc.record(point),
  gui_type: fc.record({ text: fc.constant('b') }),
  gui_key: fc.record({ key: fc.constantFrom('tab', 'alt+tab') }),
  'desktop.close': fc.constant({ app: 'vault' }),
  'plan.rehearse': fc.record({
    actions: fc.array(fc.record({ tool: fc.constant('ui.click'), args: fc.record({ target }) }), { minLength: 1, maxLength: 3 }),
  }),
}
const READS_OUT = ['ui.capture', 'ui.capabilities', 'desktop.list', 'ui.clipboard_read', 'ui.screens']
const calls = fc.oneof(
  // Input that takes the focus into what is hidden, or renames what it is in, on its way.
  fc
    .constantFrom<Record<string, unknown>>(
      { tool: 'ui.key', args: { target: 'name="Next"', keys: ['Enter', 'b'] } },
      { tool: 'ui.type', args: { target: 'name="Next"', text: ' bc' } },
      { tool: 'ui.key', args: { target: 'name="Rename"', keys: ['Enter', 'Tab', 'b'] } },
      { tool: 'ui.click', args: { target: 'name="Rename"' } },
    )
    .map(({ tool, args: given }) => ({ who: 'agent' as const, tool: String(tool), args: given })),
  ...Object.entries(args).map(([tool, given]) => given.map((a) => ({ who: 'agent' as const, tool, args: a }))),
  fc.constantFrom(...TOOLS.map((t) => t.name), ...READS_OUT).map((tool) => ({ who: 'agent' as const, tool, args: {} })),
  // Meanwhile the operator has the hidden windows in front, and the focus in them.
  fc
    .constantFrom(`name="${MARK} field"`, `name="${MARK} button"`, `name="${MARK} answer"`, 'name="Next"')
    .map((t) => ({ who: 'operator' as const, tool: 'ui.click', args: { target: t } })),
)

test.each(HIDDEN)('no answer of any tool has a label of what is hidden by %s', async (when) => {
  const policy = `[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { ${when} }\n[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n`
  const hidden = when.startsWith('app') ? /Zqx (vault|field|value|button)/ : /Zqx/
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 12 }), async (sequence) => {
      const d = await desk({ ui, policy })
      for (const { who, tool, args: given } of sequence) {
        if (who === 'operator') {
          await dispatch({ session: d.session }, OPERATOR, tool, given, {})
          continue
        }
        const { images: _, ...said } = await d.call(tool, given, { waitMs: 50 })
        expect(`${tool} ${JSON.stringify(given)}: ${JSON.stringify(said)}`).not.toMatch(hidden)
      }
      await d.session.close()
    }),
    { numRuns: 40 },
  )
})
