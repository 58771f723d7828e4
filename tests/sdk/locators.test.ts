import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Desk, Locator } from 'deskhand'
import { desktopTest, expect as expectOn, openTestDesktop } from 'deskhand/test'
import { element, window } from '../support/desk.ts'

const after = (ms: number, then: unknown): unknown => ({ do: 'after', ms, then: [then] })
const ui = [
  window('Form', [
    element('button', 'Begin', {
      attributes: {
        on: {
          click: [
            after(2_000, { do: 'set', element: 'button_late', is_enabled: true }),
            after(2_000, { do: 'set', element: 'checkbox_later', is_enabled: true }),
            after(2_000, { do: 'set', element: 'text_field_locked', is_enabled: true }),
            after(3_000, { do: 'show', element: 'button_hidden' }),
          ],
        },
      },
    }),
    element('button', 'Late', {
      is_enabled: false,
      attributes: { on: { click: [{ do: 'set', element: 'text_field_out', value: 'late' }] } },
    }),
    element('button', 'Never', { is_enabled: false }),
    element('checkbox', 'Later', { is_enabled: false }),
    element('text_field', 'Locked', { is_enabled: false }),
    element('checkbox', 'Closed', { is_enabled: false }),
    element('button', 'Zone', { attributes: { on: { drop: [{ do: 'set', element: 'text_field_out', value: 'dropped' }] } } }),
    element('button', 'Hidden', { is_visible: false }),
    element('text_field', 'Out'),
    element('checkbox', 'Agree'),
    element('dropdown', 'Colour', { attributes: { options: ['Red', 'Green'] } }),
    element('list', 'Rows', {
      children: ['a', 'b', 'c'].map((name) =>
        element('list_item', name, {
          attributes: {
            is_draggable: true,
            on: {
              double_click: [{ do: 'set', element: 'text_field_out', value: `twice ${name}` }],
              hover: [{ do: 'set', element: 'text_field_out', value: `hovered ${name}` }],
            },
          },
        }),
      ),
    }),
  ]),
]

test(
  'a button that is enabled after two seconds is clicked',
  desktopTest({ ui }, async ({ desk }) => {
    await desk.get('role=button && name=Begin').click()
    await desk.get('role=button && name=Late').click()
    await expectOn(desk.get('name=Out')).toHaveValue('late')
    await expectOn(desk.get('name=Hidden')).toBeVisible()
  }),
)

test(
  'a box and a field that are enabled after two seconds are ticked and filled in, one that never is says why',
  desktopTest({ ui }, async ({ desk }) => {
    await desk.get('role=button && name=Begin').click()
    await desk.get('name=Later').check()
    await expectOn(desk.get('name=Later')).toBeChecked()
    await desk.get('name=Locked').set('now')
    await expectOn(desk.get('name=Locked')).toHaveValue('now')
    await expect(desk.get('name=Closed', { timeoutMs: 50 }).check()).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_ACTIONABLE', message: expect.stringContaining('disabled') }),
    )
    for (const verb of [() => desk.get('role=checkbox').check(), () => desk.get('role=checkbox').value()])
      await expect(verb()).rejects.toThrow(expect.objectContaining({ code: 'AMBIGUOUS_TARGET' }))
    await expect(desk.get('name=Cloosed', { timeoutMs: 50 }).value()).rejects.toThrow('name=Cloosed is not there')
  }),
)

test(
  'a button that never is enabled fails, and says why',
  desktopTest({ ui }, async ({ desk }) => {
    await expect(desk.get('role=button && name=Never', { timeoutMs: 50 }).click()).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_ACTIONABLE', message: expect.stringContaining('the element is disabled') }),
    )
    await expect(desk.get('role=button && name=Nevr', { timeoutMs: 50 }).click()).rejects.toThrow(/NOT_FOUND|nearest is button "Never"/)
    await expect(desk.get('role=button').click()).rejects.toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_TARGET', message: expect.stringMatching(/\n {2}e\d+ button "Never" disabled = \S+/) }),
    )
    await expect(desk.get('role=button').value()).rejects.toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_TARGET', message: expect.stringContaining('\n  button "Never"') }),
    )
  }),
)

test(
  'every verb of a locator does what it says',
  desktopTest({ ui }, async ({ desk }) => {
    const out = desk.get('role=textbox && name=Out')
    await out.fill('one')
    await out.fill('two')
    await out.type(' three')
    expect(await out.value()).toBe('two three')
    await out.press('ctrl+a')
    await out.type('x')
    await expectOn(out).toHaveValue('x')
    await out.focus()
    await expectOn(out).toBeFocused()
    await desk.get('role=listitem && name=b').dblclick()
    await expectOn(out).toHaveValue('twice b')
    await desk.get('role=listitem && name=c').hover()
    await expectOn(out).toHaveValue('hovered c')
    await desk.get('role=listitem && name=a').dragTo(desk.get('name=Zone'))
    await expectOn(out).toHaveValue('dropped')
    const agree = desk.get('name=Agree')
    await agree.check()
    await agree.check()
    await expectOn(agree).toBeChecked()
    await agree.uncheck()
    await expectOn(agree).not.toBeChecked()
    await desk.get('name=Colour').set('Green')
    await expectOn(desk.get('name=Colour')).toHaveValue('Green')
    const items = desk.get('role=list && name=Rows').get('role=listitem')
    expect(await items.count()).toBe(3)
    expect((await items.all()).map((e) => e.name)).toEqual(['a', 'b', 'c'])
    expect(await items.nth(1).name()).toBe('b')
    await items.nth(2).click()
    expect(
      Buffer.from(await agree.screenshot())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    await desk.get('name="nowhere"').waitFor({ state: 'absent' })
    expect(() => desk.get('name=a ?? name=b').get('role=cell')).toThrow(expect.objectContaining({ code: 'BAD_SELECTOR' }))
    expect(() => desk.get('name="a ?? b"').get('role=cell')).not.toThrow()
  }),
)

test(
  'an assertion that does not come to hold says what was there instead; one that holds says nothing',
  desktopTest({ ui }, async ({ desk }) => {
    const at = (selector: string) => desk.get(selector, { timeoutMs: 50 })
    const { message } = (await expectOn(at('name=Out'))
      .toHaveValue('x')
      .catch((thrown: Error) => thrown)) as Error
    expect(message).toBe('expect(name=Out).toHaveValue("x"): name=Out: value is ""')
    const rows = at('role=list && name=Rows').get('role=listitem')
    await expectOn(rows).toHaveCount(3)
    await expectOn(rows).not.toHaveCount(2)
    for (const wrong of [
      () => expectOn(rows).toHaveCount(2),
      () => expectOn(rows).toHaveCount(4),
      () => expectOn(rows).not.toHaveCount(3),
      () => expectOn(rows).toHaveCount(0),
      () => expectOn(rows).not.toBePresent(),
      () => expectOn(at('name=Never')).toBeEnabled(),
      () => expectOn(at('name=Never')).not.toBeDisabled(),
      () => expectOn(at('name=Agree')).toBeChecked(),
      () => expectOn(at('name=Hidden')).toBeVisible(),
      () => expectOn(at('name=nowhere')).toBePresent(),
    ])
      await expect(wrong()).rejects.toMatchObject({ name: 'AssertionError' })
    await expectOn(at('name=nowhere')).not.toBePresent()
    await expectOn(at('name=nowhere')).toHaveCount(0)
    await expectOn(at('name=Hidden')).not.toBeVisible()
    await expectOn(desk).toShowWindow('Form')
    await expectOn(desk).toShowText('Agree')
  }),
)

test(
  'an assertion waits as long as it is told, and takes nothing else',
  desktopTest({ ui }, async ({ desk }) => {
    const waits: unknown[] = []
    const counted: Desk = {
      ...desk,
      call: async (tool, args, options) => {
        waits.push(Object(args)['timeoutMs'])
        return desk.call(tool, args, options)
      },
    }
    const out = new Locator(counted, 'name=Out')
    await expect(expectOn(counted).toShowWindow('Shop', { timeoutMs: 31 })).rejects.toThrow('expect(desk).toShowWindow("Shop"): ')
    await expect(expectOn(out).not.toBePresent({ timeoutMs: 32 })).rejects.toThrow('expect(name=Out).not.toBePresent(): ')
    await expectOn(out).toHaveValue('', { timeoutMs: 33 })
    await expectOn(out).toBePresent()
    expect(waits).toEqual([31, 32, 33, 5_000])
    await expect(expectOn(out).toBePresent({ timeout: 300 } as object)).rejects.toMatchObject({
      code: 'BAD_ARGS',
      next: 'There are: timeoutMs.',
    })
    await expect(expectOn(out).toHaveValue('', 300 as never)).rejects.toMatchObject({ code: 'BAD_ARGS' })
  }),
)

test('a test desktop refuses an option that it does not have', async () => {
  const opening = openTestDesktop({ uii: ui } as object)
  await expect(opening).rejects.toMatchObject({ code: 'BAD_ARGS', next: 'There are: ui, sandbox, launch, policy, approve, config.' })
})

test('a failure of a test says its code and the next step, as runners print its message alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dh-results-'))
  vi.stubEnv('DESKHAND_TEST_RESULTS', folder)
  try {
    const failing = desktopTest({ ui }, ({ desk }) => desk.get('name=Never', { timeoutMs: 0 }).click())
    await expect(failing()).rejects.toThrow(/\nNOT_ACTIONABLE\. \S.*\nattached:\n/)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  }
})

test(
  'a rule of the policy and the answer of a program hold in a test desktop',
  desktopTest(
    {
      ui,
      policy: '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\nwhen = { name = "Begin" }\n',
      approve: async () => ({ allow: false, reason: 'not today' }),
    },
    async ({ desk }) => {
      await expect(desk.get('name=Begin').click()).rejects.toThrow(/not today/)
    },
  ),
)

test(
  'docs/testing.md names every verb of a locator and every assertion',
  desktopTest({ ui }, async ({ desk }) => {
    const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
    const verbs = Object.getOwnPropertyNames(Locator.prototype).filter((name) => name !== 'constructor' && name !== 'toString')
    const names = [...verbs, ...Object.keys(expectOn(desk.get('role=button'))), ...Object.keys(expectOn(desk))]
    expect(names.length).toBeGreaterThan(25)
    expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(page))).toEqual([])
  }),
)

test('a runner whose limit passes while the pictures of a failure are taken reports the failure all the same', async () => {
  const [limit, folder] = [new AbortController(), mkdtempSync(join(tmpdir(), 'dh-results-'))]
  const late = new Error('Test timed out')
  vi.stubEnv('DESKHAND_TEST_RESULTS', folder)
  try {
    const failing = desktopTest({ ui }, ({ desk }) => desk.get('name="Nowhere"', { timeoutMs: 0 }).click())
    const annotate = (): Promise<void> => Promise.resolve(limit.abort(late))
    await expect(failing({ signal: limit.signal, annotate })).rejects.toThrow('Nowhere')
    expect(late.message).toMatch(/^Test timed out\n.*Nowhere/)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  }
})
