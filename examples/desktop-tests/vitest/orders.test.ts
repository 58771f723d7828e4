import { test } from 'vitest'
import { desktopTest, expect } from 'deskhand/test'

const ui = new URL('../orders.ui.json', import.meta.url).pathname

test(
  'nothing can be sent before the check',
  desktopTest({ ui }, async ({ desk }) => {
    await expect(desk.get('role=button && name=Send')).toBeDisabled()
    await expect(desk.get('role=button')).toHaveCount(2)
    await expect(desk).toShowWindow('Orders')
    await expect(desk).not.toShowText('sent to')
  }),
)
