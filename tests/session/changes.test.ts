import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'
import { desk, element, window } from '../support/desk.ts'

const save = {
  ...element('button', 'Save As'),
  attributes: { on: { click: [{ do: 'open', element: 'dialog' }] } },
}
const dialog = {
  ...window('Save file', [element('text_field', 'File name'), element('button', 'Cancel')], { modal: true }),
  element_id: 'dialog',
  element_type: 'dialog',
  is_visible: false,
}
const form = window('Form', [
  element('text_field', 'Name'),
  element('text_field', 'City'),
  element('checkbox', 'Paid'),
  save,
  element('label', 'Total 0', { element_id: 'total' }),
  { ...element('button', 'Add'), attributes: { on: { click: [{ do: 'set', element: 'total', label_text: 'Total 1' }] } } },
])

describe('an answer says what changed', () => {
  test('the state of the target, and of what else says something now', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    expect((await d.call('ui.click', { target: 'name="Paid"' })).text).toMatch(/^now e\d+ checkbox "Paid" focused checked$/m)
    expect((await d.call('ui.click', { target: 'name="Add"' })).text).toMatch(/^now e\d+ label "Total 1"$/m)
  })

  test('a dialog with what can be operated in it, and that it closed', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    const { text = '', data } = await d.call('ui.click', { target: 'name="Save As"' })
    expect(text).toMatch(/^opened:\ne\d+ dialog "Save file".* modal\n +e\d+ textbox "File name".*\n +e\d+ button "Cancel"/)
    expect(data).toMatchObject({ opened: [{ role: 'dialog', name: 'Save file', modal: true }] })
    expect(tokens(text)).toBeLessThanOrEqual(250)
    const id = /(e\d+) textbox "File name"/.exec(text)?.[1]
    expect(await d.call('ui.type', { target: id, text: 'a.txt' })).toMatchObject({ effect: 'confirmed' })
  })

  test('what Enter would destroy, and nothing of a label that only names a field', async () => {
    const open = { ...element('button', 'Open'), attributes: { on: { click: [{ do: 'open', element: 'asks' }] } } }
    const opened = async (text: string): Promise<string> => {
      const asks = { ...window('Asks', [element('label', text), element('button', 'OK')]), element_id: 'asks', is_visible: false }
      const d = await desk({ ui: { windows: [window('App', [open]), { ...asks, element_type: 'dialog' }] } })
      return (await d.call('ui.click', { target: 'name="Open"' })).text ?? ''
    }
    expect(await opened('Delete 3 files?')).toContain('Enter would press "OK" and so answer "Delete 3 files?"')
    expect(await opened('Delete:')).toMatch(/^opened:[^]*label "Delete:"(?![^]*Enter would press)/)
  })

  test('what became of it while the caller did something else, once', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    await d.call('ui.snapshot')
    await d.call('ui.click', { target: 'name="Add"' }, { changes: false })
    expect((await d.call('ui.click', { target: 'name="Paid"' })).text).toMatch(/Paid" focused checked\nnow e\d+ label "Total 1"/)
    expect((await d.call('ui.click', { target: 'name="Paid"' })).text).not.toContain('Total')
  })

  test('nothing where it is turned off', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    expect((await d.call('ui.click', { target: 'name="Paid"' }, { changes: false })).text).toBeUndefined()
  })

  test('no value that the caller itself has just entered', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    const typed = await d.call('ui.type', { target: 'name="Name"', text: 'Anna' })
    expect(typed).toMatchObject({ effect: 'confirmed' })
    expect(typed.text ?? '').not.toContain('Anna')
  })

  test('also when the call failed', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    await d.call('ui.snapshot')
    await d.call('ui.click', { target: 'name="Save As"' }, { changes: false })
    const refused = await d.call('ui.click', { target: 'name="Missing"' })
    expect(refused).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } })
    expect(refused.text).toMatch(/^opened:\ne\d+ dialog "Save file"/)
  })

  test('what was sent, by the parts of a call that fails in the middle as well', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    const fields = [
      { target: 'name="Name"', value: 'Ada' },
      { target: 'name="Nothing"', value: 'x' },
    ]
    expect(await d.call('ui.set', { fields })).toMatchObject({ sent: 'partial', retry: 'observe_first', error: { code: 'NOT_FOUND' } })
    expect(await d.call('ui.set', { fields: fields.slice(1) })).toMatchObject({ sent: 'none', error: { code: 'NOT_FOUND' } })
  })

  test('which modal dialog is in the way of what cannot be operated, or has no effect', async () => {
    const dead = element('button', 'Dead')
    const off = element('button', 'Off', { is_enabled: false })
    const own = { ...dialog, attributes: { app: 'form', modal: true } }
    const d = await desk({ ui: { windows: [window('Form', [save, dead, off]), own] } })
    await d.call('ui.click', { target: 'name="Save As"' })
    const refused = await d.call('ui.click', { target: 'name="Off"', timeoutMs: 0 })
    expect(refused.error).toMatchObject({
      code: 'NOT_ACTIONABLE',
      message: expect.stringMatching(/; e\d+ dialog "Save file" is open and takes all input$/) as string,
      next: expect.stringMatching(/^Answer e\d+ dialog "Save file" first\.$/) as string,
    })
    // Where the driver has named it itself, it is not named again.
    const behind = await d.call('ui.click', { target: 'name="Dead"', delivery: 'semantic' })
    expect(behind.error?.message.match(/dialog "Save file"/g)).toHaveLength(1)
    expect(behind.error?.next).toMatch(/^Answer e\d+ dialog "Save file" first\.$/)
    const cancel = await d.call('ui.click', { target: 'name="Cancel"' })
    expect(cancel.text ?? '').not.toContain('takes all input')
  })

  test('what is known of a save: that the title lost its mark, that it did not, or nothing', async () => {
    const titled = (title: string, after: string) => ({
      ...window(title, [
        { ...element('button', 'Save'), attributes: { on: { click: [{ do: 'set', element: 'page', label_text: after }] } } },
        element('text_field', 'Text'),
      ]),
      element_id: 'page',
    })
    const save = async (title: string, after: string) => {
      const d = await desk({ ui: { windows: [titled(title, after)] } })
      await d.call('ui.snapshot')
      return (await d.call('ui.click', { target: 'name="Save"' })).text ?? ''
    }
    expect(await save('*notes.txt - Pad', 'notes.txt - Pad')).toMatch(
      /^now e\d+ window "notes.txt - Pad".* \(its mark of unsaved changes is gone\)$/m,
    )
    expect(await save('*notes.txt - Pad', '*notes.txt - Pad')).toContain('The title still marks unsaved changes.')
    expect(await save('notes.txt - Pad', 'notes.txt - Pad')).toContain('Nothing that shows says whether it was saved.')
    const d = await desk({ ui: { windows: [titled('*notes.txt - Pad', '')] } })
    const steps = [
      { tool: 'ui.focus', args: { target: 'name="Text"' } },
      { tool: 'ui.key', args: { keys: 'ctrl+s' } },
    ]
    expect((await d.call('ui.batch', { steps })).text).toContain('The title still marks unsaved changes.')
    const marks = {
      ...element('button', 'Change'),
      attributes: { on: { click: [{ do: 'set', element: 'page', label_text: '*notes.txt - Pad' }] } },
    }
    const saves = {
      ...element('button', 'Save'),
      attributes: { on: { click: [{ do: 'set', element: 'page', label_text: 'notes.txt - Pad' }] } },
    }
    const twice = await desk({ ui: { windows: [{ ...window('notes.txt - Pad', [marks, saves]), element_id: 'page' }] } })
    const both = ['Change', 'Save'].map((name) => ({ tool: 'ui.click', args: { target: `name="${name}"` } }))
    expect((await twice.call('ui.batch', { steps: both })).text).toMatch(
      /^now e\d+ window "notes.txt - Pad" \(its mark of unsaved changes is gone\)$/m,
    )
    expect((await twice.call('ui.batch', { steps: both.slice(1) })).text).toContain('Nothing that shows says whether it was saved.')
    const broken = [{ tool: 'ui.click', args: { target: 'name="Nowhere"', timeoutMs: 0 } }, ...steps]
    expect((await d.call('ui.batch', { steps: broken })).text).not.toMatch(/unsaved|saved/)
    const said = {
      ...element('button', 'Save'),
      attributes: { on: { click: [{ do: 'set', element: 'label_status', label_text: 'notes.txt saved.' }] } },
    }
    const telling = await desk({ ui: { windows: [window('Pad', [said, element('label', 'Status')])] } })
    await telling.call('ui.snapshot')
    const { text } = await telling.call('ui.click', { target: 'name="Save"' })
    expect(text).toContain('notes.txt saved.')
    expect(text).not.toContain('Nothing that shows')
  })

  test('no effect of a key in what a status bar says late of the entry that was clicked before', async () => {
    const says = { do: 'after', ms: 100, then: [{ do: 'set', element: 'says', label_text: '1 selected' }] }
    const entry = { ...element('list_item', 'notes.txt'), attributes: { on: { click: [says] } } }
    const bar = { ...element('statusbar', 'Status'), children: [element('label', '6 items', { element_id: 'says' })] }
    const list = { ...element('list', 'Files'), children: [entry] }
    const d = await desk({ ui: { windows: [window('Files', [list, bar])] } })
    const tools = async (...steps: object[]): Promise<string> => (await d.call('ui.batch', { steps })).text ?? ''
    const both = await tools({ tool: 'ui.click', args: { target: 'role=listitem' } }, { tool: 'ui.key', args: { keys: 'F9' } })
    expect(both).toMatch(/^2 ui\.key [^\n]*: (?:unverified|no_effect)$/m)
    expect(both).toContain('label "1 selected"')
  })

  test.each([0, 400])(
    'what a key did to an entry clicked right before, once the status bar has told of it: the click takes %i ms',
    async (takesMs) => {
      const taken = [
        { do: 'set', element: 'says', label_text: '1 selected' },
        { do: 'set', element: 'out', label_text: 'idle' },
      ]
      const entry = { ...element('list_item', 'notes.txt'), attributes: { on: { click: [{ do: 'after', ms: 10, then: taken }] } } }
      const bar = { ...element('statusbar', 'Status'), children: [element('label', '6 items', { element_id: 'says' })] }
      const list = { ...element('list', 'Files'), children: [entry] }
      const pressed = { 'key:Delete': [{ do: 'set', element: 'out', label_text: 'deleted' }] }
      const files = window('Files', [list, bar, element('label', 'none', { element_id: 'out' })], { on: pressed })
      const d = await desk({ ui: { windows: [files] } })
      const step = d.driver.act.step.bind(d.driver.act)
      vi.spyOn(d.driver.act, 'step').mockImplementation(async (...given) => {
        const sent = await step(...given)
        if (given[1].do !== 'keys') await sleep(takesMs)
        return sent
      })
      const steps = [
        { tool: 'ui.click', args: { target: 'role=listitem' } },
        { tool: 'ui.key', args: { keys: 'Delete' } },
        { tool: 'ui.wait', args: { until: 'text 1 selected' } },
      ]
      expect(await d.call('ui.batch', { steps })).toMatchObject({ status: 'success' })
      expect((await d.call('ui.query', { selector: 'role=label' })).text).toContain('label "deleted"')
    },
  )

  test('nothing of what the caller must not know of', async () => {
    const vault = { ...window('Vault', [element('button', 'Codes')]), element_id: 'vault', is_visible: false }
    const open = { ...element('button', 'Open'), attributes: { on: { click: [{ do: 'open', element: 'vault' }] } } }
    const policy = '[[rule]]\ntoolName = "ui.snapshot"\ndecision = "deny"\npriority = 900\n[rule.when]\nwindow = "Vault"\n'
    const d = await desk({ ui: { windows: [window('App', [open]), vault] }, policy })
    const { text = '', data } = await d.call('ui.click', { target: 'name="Open"' })
    expect(text + JSON.stringify(data ?? null)).not.toMatch(/Vault|Codes/)
  })

  test('the difference since a look at another window is one since the last look at this one', async () => {
    const other = window('Other', [element('button', 'Here')])
    const d = await desk({ ui: { windows: [form, other, dialog] } })
    const first = (await d.call('ui.snapshot')).data as { snapshotId: string }
    await d.call('ui.window', { target: 'role=window && name="Form"', op: 'activate' })
    await d.call('ui.click', { target: 'name="Paid"' }, { changes: false })
    const { text = '' } = await d.call('ui.snapshot', { since: first.snapshotId })
    expect(text).toMatch(/0 added, 1 changed, 0 gone\nnow e\d+ checkbox "Paid" focused checked/)
  })

  test('what can be operated comes first in the difference since a look, and what there is no room for is counted', async () => {
    const notes = Array.from({ length: 20 }, (_, i) => element('label', `Note number ${i} about nothing in particular`))
    const late = { ...window('Late', [...notes, element('button', 'Send')]), element_id: 'late', is_visible: false }
    const more = { ...element('button', 'More'), attributes: { on: { click: [{ do: 'open', element: 'late' }] } } }
    const d = await desk({ ui: { windows: [window('App', [more]), late] } })
    const first = (await d.call('ui.snapshot', { scope: 'desktop' })).data as { snapshotId: string }
    await d.call('ui.click', { target: 'name="More"' }, { changes: false })
    const { text = '' } = await d.call('ui.snapshot', { scope: 'desktop', since: first.snapshotId, budget: 120 })
    expect(text).toMatch(/button "Send"/)
    expect(text).toMatch(/… \d+ more/)
    expect(tokens(text)).toBeLessThanOrEqual(120)
  })

  test('a dialog that an answer told of is named by a look that asks for what changed since before it', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    const first = (await d.call('ui.snapshot')).data as { snapshotId: string }
    expect((await d.call('ui.click', { target: 'name="Save As"' })).text).toContain('dialog "Save file"')
    const { text = '' } = await d.call('ui.snapshot', { since: first.snapshotId })
    expect(text).toMatch(/\ntold since then:\ne\d+ dialog "Save file".*\nnothing changed/)
  })
})

describe('every result says what was sent and whether the call may be sent again', () => {
  test('by what became of it', async () => {
    const d = await desk({ ui: { windows: [form, dialog] } })
    expect(await d.call('ui.snapshot')).toMatchObject({ sent: 'none', retry: 'safe' })
    expect(await d.call('ui.click', { target: 'name="Paid"' })).toMatchObject({ sent: 'all', retry: 'observe_first' })
    expect(await d.call('ui.click', { nothing: 1 })).toMatchObject({ sent: 'none', retry: 'never', error: { retry: 'never' } })
    expect(await d.call('ui.click', { target: 'name="None"' })).toMatchObject({ sent: 'none', retry: 'observe_first' })
    expect(await d.call('ui.wait', { until: { text: 'never' }, timeoutMs: 0 })).toMatchObject({
      sent: 'none',
      retry: 'safe',
      error: { code: 'TIMEOUT', retry: 'safe' },
    })
  })
})
