import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { PYTHON, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const soon = { timeout: 60_000 }
const MENU = 'app=kcalc && role=menuitem && name="Settings"'

/** Opens a menu of KCalc as another program would. */
const OPEN = `
import pyatspi
def inside(node):
    yield node
    for child in node:
        yield from inside(child)
kcalc = next(app for app in pyatspi.Registry.getDesktop(0) if app.name == 'kcalc')
next(n for n in inside(kcalc) if n.getRoleName() == 'menu item' and n.name == 'Settings').queryAction().doAction(0)
`

describeDesktop('keys while a menu of a window that lies under another one is open', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: { width: 1280, height: 800 } })
    await desk.show('KCalc', 'kcalc')
    await desk.show('Mousepad', 'mousepad')
    await told(desk.driver, 60_000)
    expect(await desk.call('ui.window', { target: 'app=mousepad && role=window', op: 'maximize' })).toMatchObject({ status: 'success' })
  })
  afterAll(() => desk.close())

  const outline = async (): Promise<string> => (await desk.call('ui.snapshot', { scope: 'desktop' })).text ?? ''
  /** Whose keys they were when the latest ones were decided about. */
  const judged = async (): Promise<string | undefined> => {
    const entry = (await desk.journal()).findLast((e) => e.type === 'decided' && e.tool === 'ui.key')
    return entry?.type === 'decided' ? entry.targets?.[0]?.app?.name : undefined
  }

  test('are not sent for the active window, as the menu of the other would get them', async () => {
    desk.ask(PYTHON, '-c', OPEN)
    await expect.poll(outline, soon).toContain('"Science Mode"')
    const typed = await desk.call('ui.key', { keys: 'ArrowDown' })
    expect({ status: typed.status, sent: typed.sent, judged: await judged() }).toEqual({
      status: 'error',
      sent: 'none',
      judged: 'mousepad',
    })
    desk.ask('xdotool', 'key', 'Escape')
    await expect.poll(outline, soon).not.toContain('"Science Mode"')
  })

  test('are judged as the keys of the application whose menu was opened by a click', async () => {
    expect(await desk.call('ui.click', { target: MENU, timeoutMs: 20_000 })).toMatchObject({ status: 'success' })
    await expect.poll(outline, soon).toContain('"Science Mode"')
    expect(await desk.call('ui.key', { keys: 'ArrowDown' })).toMatchObject({ status: 'success' })
    expect(await judged()).toBe('kcalc')
  })
})
