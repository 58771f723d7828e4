import { describe, expect, test } from 'vitest'
import type { Result } from '@deskhand/core/model'
import { words } from '../../packages/deskhand/src/tools/words.ts'
import { desk, element, window } from '../support/desk.ts'

const people = (name: string, age: string) => ({
  element_id: `row_${name}`,
  element_type: 'row',
  children: [
    { element_id: `cell_${name}`, element_type: 'cell', label_text: name },
    { element_id: `age_${name}`, element_type: 'cell', label_text: age },
    { element_id: `edit_${name}`, element_type: 'button', label_text: 'Edit' },
  ],
})

const UI = [
  window('Staff', [
    { element_id: 'table', element_type: 'table', children: [people('Anna', '42'), people('Ben', '37')] },
    { element_id: 'l1', element_type: 'label', label_text: 'Email', attributes: { bounds: [10, 300, 80, 24] } },
    { element_id: 't1', element_type: 'textbox', attributes: { bounds: [100, 300, 200, 24] } },
    { element_id: 'l2', element_type: 'label', label_text: 'Email', attributes: { bounds: [10, 400, 80, 24] } },
    element('button', 'Send'),
  ]),
]

const ids = ({ data }: Result): string[] => (data as { matches: { elementId: string }[] }).matches.map((m) => m.elementId)

describe('selectors of a call', () => {
  test('a row is found by what is in it, and an id is the first step of a path', async () => {
    const d = await desk({ ui: UI })
    const [row = ''] = ids(await d.call('ui.query', { selector: 'role=row && has(name="Ben")' }))
    const inside = await d.call('ui.query', { selector: `${row} >> role=button` })
    expect(ids(inside)).toHaveLength(1)
    expect(await d.call('ui.click', { target: `${row} >> name="Edit"` })).toMatchObject({
      status: 'success',
      resolvedTarget: { name: 'Edit' },
    })
    expect((await d.call('ui.query', { selector: `role=row && has(${ids(inside)[0] ?? ''})` })).data).toMatchObject({
      matches: [{ elementId: row }],
    })
  })

  test('a hit in a table comes with its row, and an id that was never shown is told as such', async () => {
    const d = await desk({ ui: UI })
    expect((await d.call('ui.query', { selector: 'name="Edit"' })).text).toMatch(
      /Edit" in row "Anna" \| "42"\n.*Edit" in row "Ben" \| "37"/,
    )
    expect((await d.call('ui.query', { selector: 'e999 >> role=cell' })).error?.code).toBe('STALE_REF')
    expect((await d.call('ui.wait', { until: { uiState: { target: 'e999 >> role=cell', present: false } } })).status).toBe('success')
  })

  test('candidates say what tells them apart, and each selector names one of them', async () => {
    const d = await desk({ ui: UI })
    const result = await d.call('ui.click', { target: 'name="Edit"' })
    expect(result.error?.code).toBe('AMBIGUOUS_TARGET')
    const told = words(result)
    expect(told).toMatch(/e\d+ button "Edit" in row "Anna" \| "42" = .+\n/)
    for (const [, selector = ''] of told.matchAll(/ = (.+)$/gm)) expect(ids(await d.call('ui.query', { selector }))).toHaveLength(1)
  })

  test('a near miss is told with its id, and what it fails is said once', async () => {
    const d = await desk({ ui: UI })
    const told = words(await d.call('ui.click', { target: 'role=button && name="Edot"' }))
    expect(told).toMatch(/^e\d+ button "Edit" in row "Anna" \| "42"$/m)
    expect(told.match(/ fails /g)).toHaveLength(1)
  })

  test('a label does not make the field that it names ambiguous, nor does anything that takes no text', async () => {
    const d = await desk({ ui: UI })
    const typed = await d.call('ui.type', { target: 'name="Email"', text: 'a@b.example' })
    expect(typed).toMatchObject({ status: 'success', resolvedTarget: { role: 'textbox' } })
    expect((await d.call('ui.query', { selector: 'role=textbox && label=Email' })).data).toMatchObject({
      matches: [{ value: 'a@b.example' }],
    })
  })

  test('an application that is hidden cannot be asked for by what is in it', async () => {
    const hidden = window('Vault', [element('textbox', 'Codeword')])
    const policy = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\napp = "vault"\n'
    const d = await desk({ ui: [...UI, hidden], policy })
    expect(ids(await d.call('ui.query', { selector: 'has(name="Codeword")' }))).toEqual([])
    const free = await desk({ ui: [...UI, hidden] })
    expect(ids(await free.call('ui.query', { selector: 'has(name="Codeword")' }))).toHaveLength(1)
  })

  test('a spelling of another tool is answered with ours', async () => {
    const d = await desk({ ui: UI })
    expect((await d.call('ui.click', { target: 'button:has-text("Send")' })).error).toMatchObject({
      code: 'BAD_SELECTOR',
      next: 'Write role=button && text~="Send"',
    })
    expect((await d.call('ui.query', { selector: 'name="Se.*"' })).text).toContain('name~=/Se.*/')
  })
})
