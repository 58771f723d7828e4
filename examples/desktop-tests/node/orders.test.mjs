import { test } from 'node:test'
import { desktopTest, expect } from 'deskhand/test'

const ui = new URL('../orders.ui.json', import.meta.url).pathname

test(
  'an order goes out once it was checked',
  desktopTest({ ui }, async ({ desk }) => {
    await desk.get('role=textbox && name=Customer').fill('Ünal & Söhne')
    await desk.get('role=checkbox && name=Express').check()
    await desk.get('role=button && name=Check').click()
    // Send is enabled two seconds later: the click waits for it.
    await desk.get('role=button && name=Send').click()
    await expect(desk.get('name=Status')).toHaveValue('sent to Ünal & Söhne')
    await expect(desk.get('name=Express')).toBeChecked()
  }),
)

test(
  'two clerks do not see each other',
  desktopTest({ ui }, async ({ desk, open }) => {
    const other = await open({ ui })
    await desk.get('name=Customer').fill('Anna')
    await other.get('name=Customer').fill('Boris')
    await expect(desk.get('name=Customer')).toHaveValue('Anna')
    await expect(other.get('name=Customer')).not.toHaveValue('Anna')
  }),
)
