import { expect, test } from 'vitest'
import { open } from '../packages/deskhand/src/open.ts'

test('AVIS commands act through the session, and are recorded', async () => {
  const desk = await open()
  try {
    const typed = await desk.call('avis.type_string', { text: 'Jürgen', target_element_id: 'customer' })
    expect(typed.data).toMatchObject({ action_type: 'type_string', outcome: 'success' })
    const { data } = await desk.call('avis.get_current_virtual_ui')
    expect(JSON.stringify(data)).toContain('"element_id":"customer","element_type":"text_field","label_text":"Customer","value":"Jürgen"')
    expect((await desk.call('avis.click_element', { element_id: 'nobody' })).data).toMatchObject({
      outcome: expect.stringMatching(/error|failure|failed|not_found/),
    })
  } finally {
    await desk.close()
  }
})

test('the Run button runs the code in the editor and shows what came out', async () => {
  const desk = await open()
  try {
    await desk.call('ui.type', { target: 'window="Code" >> role=textbox && name="Code"', text: 'print(6 * 7)', mode: 'replace' })
    await desk.call('ui.click', { target: 'role=button && name="Run"' })
    const shown = await desk.call('ui.wait', { until: { uiState: { target: 'name="Output"', valueContains: '42' } }, timeoutMs: 30_000 })
    expect(shown.status).toBe('success')
  } finally {
    await desk.close()
  }
})

test('without the permission nothing is run, and the display says so', async () => {
  const desk = await open({ config: { avis: { can_execute_code: false } } })
  try {
    await desk.call('ui.click', { target: 'role=button && name="Run"' })
    const shown = await desk.call('ui.wait', {
      until: { uiState: { target: 'name="Output"', valueContains: 'can_execute_code' } },
      timeoutMs: 10_000,
    })
    expect(shown.status).toBe('success')
    expect((await desk.call('avis.process_code_execution_command', { code_string: 'print(1)' })).data).toMatchObject({
      execution_success: false,
    })
  } finally {
    await desk.close()
  }
})
