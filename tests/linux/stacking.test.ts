import { within } from '@deskhand/core/driver'
import { center, type Rect } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const CHROMIUM = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']

describeDesktop('what lies over what in a page', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
    await desk.show('Layers', 'chromium', [...CHROMIUM, `file://${fixture('pages/layers.html')}`])
    await told(desk.driver)
    await desk.call('ui.wait', { until: { uiState: { target: LOG, visible: true } }, timeoutMs: 30_000 })
  })
  afterAll(() => desk.close())

  const LOG = 'role=textbox && name="Log"'
  const place = async (selector: string): Promise<Rect> => placeIn(await desk.call('ui.query', { selector }))
  const said = async (what: string): Promise<void> => {
    const until = { uiState: { target: LOG, value: what } }
    expect(await desk.call('ui.wait', { until, timeoutMs: 10_000 })).toMatchObject({ status: 'success' })
  }
  const hit = async (at: { x: number; y: number }): Promise<string | undefined> => {
    const { node } = await desk.driver.observe.hit(at, within(10_000))
    const [told] = node === undefined ? [] : await desk.driver.observe.check([node], within(10_000))
    return told?.name
  }

  test('a dialog that lies over a field and a frame is hit where it lies over them, and the frame where it does not', async () => {
    expect(await hit(center(await place('role=button && name="1"')))).toBe('1')
    expect(await hit(center(await place('role=button && name="15"')))).toBe('15')
    const frame = await place('role=button && name="Inner"')
    expect(await hit({ x: frame.x + frame.w - 20, y: frame.y + 20 })).toBe('Inner')
  })

  test('a button over a frame is clicked and recorded as itself, by its id and by its pixel', async () => {
    const day = await place('role=button && name="15"')
    expect(await desk.call('ui.click', { target: 'role=button && name="15"' })).toMatchObject({ status: 'success', via: 'pointer' })
    await said('day 15')
    await desk.call('ui.click', { target: 'role=button && name="1"' })
    await said('day 1')
    const done = await desk.call('ui.click_xy', { ...center(day) })
    expect(done).toMatchObject({ status: 'success', resolvedTarget: { role: 'button', name: '15' } })
    await said('day 15')
    const decided = (await desk.journal()).findLast((e) => e.type === 'decided' && e.tool === 'ui.click_xy')
    expect(decided).toMatchObject({ targets: [{ role: 'button', name: '15' }] })
  })

  test('what a page lays over a button without telling of it keeps events from the button', async () => {
    const refused = await desk.call('ui.click', { target: 'role=button && name="Veiled"', button: 'right' })
    expect(refused).toMatchObject({ status: 'error', sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    const done = await desk.call('ui.click_xy', { ...center(await place('role=button && name="Veiled"')) })
    expect(done.resolvedTarget?.name).not.toBe('Veiled')
    await said('veil')
  })

  test('what comes to lie over a place that was just asked for is hit there at once', async () => {
    const at = center(await place('role=button && name="Below"'))
    expect(await hit(at)).toBe('Below')
    await desk.call('ui.click', { target: 'role=button && name="Show"' })
    await desk.call('ui.wait', { until: { uiState: { target: 'role=button && name="Over"', visible: true } }, timeoutMs: 10_000 })
    expect(await hit(at)).toBe('Over')
    expect(await desk.call('ui.click_xy', { ...at })).toMatchObject({ resolvedTarget: { name: 'Over' } })
    await said('late')
  })
})

describeDesktop('windows with the same title at the same place', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
    await desk.show('Twin', PYTHON, [fixture('twins_gtk3.py')])
    await told(desk.driver)
    await vi.waitUntil(async () => (await windows()).length === 3, { timeout: 20_000 })
  })
  afterAll(() => desk.close())

  const windows = async (): Promise<{ elementId: string; active: boolean; z: number }[]> => {
    const { applications } = (await desk.call('desktop.list')).data as { applications: { windows: [] }[] }
    return applications.flatMap((a) => a.windows)
  }
  const field = (name: string): string => `role=textbox && name="${name}"`
  const value = async (name: string): Promise<string | undefined> => {
    const { data } = await desk.call('ui.query', { selector: field(name) })
    return (data as { matches: { value?: string }[] }).matches[0]?.value
  }

  test('are told apart: the one with the field that is typed into is active and on top, and keys go there', async () => {
    const texts = new Map<string, string>()
    for (const name of ['one', 'three', 'two', 'one', 'two']) {
      // By keys, as Enter is one.
      const typed = await desk.call('ui.type', { target: field(name), text: 'x\n', mode: 'append' })
      expect(typed, name).toMatchObject({ status: 'success', sent: 'all' })
      texts.set(name, `${texts.get(name) ?? ''}x`)
      const active = (await windows()).filter((w) => w.active)
      expect(active, name).toMatchObject([{ z: 2 }])
      expect(await desk.call('ui.key', { keys: 'End' }), name).toMatchObject({ status: 'success', resolvedTarget: { name } })
      desk.ask('xdotool', 'key', 'y')
      texts.set(name, `${texts.get(name)}y`)
      for (const [known, text] of texts) await expect.poll(() => value(known), { timeout: 10_000 }).toBe(text)
    }
  })

  test('each is activated by its id, and no other counts as active then', async () => {
    for (const { elementId } of await windows()) {
      expect(await desk.call('ui.window', { target: elementId, op: 'activate' })).toMatchObject({ status: 'success', effect: 'confirmed' })
      expect((await windows()).filter((w) => w.active).map((w) => w.elementId)).toEqual([elementId])
    }
  })
})
