import { existsSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { connect } from '../../packages/deskhand/src/sdk/connect.ts'
import { AppDesk } from '../support/apps.ts'
import { use } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

interface Answer {
  status: string
  effect?: string
  error?: { code: string; message: string; next?: string }
}

const soon = { timeout: 20_000 }

/** What a picture of the whole screen says about itself. */
const noteOf = async ({ client }: AppDesk): Promise<unknown> => (await use(client, 'gui_screenshot')).record['screenshot_note']

describeDesktop('an application that hangs', { timeout: 120_000 }, () => {
  let desk: AppDesk
  let hung: ChildProcess
  beforeAll(async () => {
    desk = await AppDesk.open({ width: 1000, height: 700 })
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<Answer> =>
    (await use(desk.client, tool, args)).record as Answer
  const WINDOW = 'role=window && name="Fault"'

  /** Started, read, stopped, and told as hung. */
  const hang = async (): Promise<void> => {
    ;({ child: hung } = desk.start(PYTHON, fixture('fault_gtk3.py'), 'none'))
    await desk.shows('role=button && name="Target"')
    hung.kill('SIGSTOP')
    const named = async (): Promise<string | undefined> =>
      (await call('ui.click', { target: 'role=button && name="Target"', timeoutMs: 300 })).error?.code
    await expect.poll(named, soon).toBe('APP_HUNG')
  }

  test('is counted for as long as it hangs', async () => {
    const operator = await connect({ state: desk.world.env['DESKHAND_STATE'], as: 'operator' })
    try {
      // The gauges are as the last call found the desktop.
      const counted = async (): Promise<number | undefined> =>
        (await call('ui.snapshot')) && (await operator.invoke('counters', {})).gauges.find((g) => g.name === 'hung_applications')?.value
      expect(await counted()).toBe(0)
      await hang()
      expect(await counted()).toBe(1)
      hung.kill('SIGCONT')
      await expect.poll(counted, soon).toBe(0)
    } finally {
      await operator.close()
    }
  })

  test('says what helps, and its windows are moved, minimised, brought back and ended through the window manager', async () => {
    await hang()
    const { error } = await call('ui.click', { target: 'role=button && name="Target"', timeoutMs: 300 })
    expect(error).toMatchObject({ code: 'APP_HUNG', message: expect.stringContaining('stopped') as string })
    expect(error?.next).toContain('force')
    const place = (): string => desk.asked('xdotool', 'search', '--name', '^Fault$', 'getwindowgeometry')
    const before = place()
    await desk.use('ui.window', { target: WINDOW, op: 'move', bounds: { x: 200, y: 150 } })
    await expect.poll(place, soon).not.toBe(before)
    await desk.use('ui.window', { target: WINDOW, op: 'minimize' })
    await desk.use('ui.window', { target: WINDOW, op: 'restore' })
    expect(await desk.use('ui.window', { target: WINDOW, op: 'activate' })).toMatchObject({ effect: 'confirmed' })
    await desk.use('desktop.close', { app: String(hung.pid), force: true, timeoutMs: 200 })
    expect(existsSync(`/proc/${hung.pid}`)).toBe(false)
    await desk.wait({ window: { title: 'Fault', present: false } })
  })

  test('holds up neither keys nor waits of the others, and is itself seen in pictures as it was', async () => {
    await hang()
    const ask = desk.start('zenity', '--entry', '--title=Other', '--text=Name?')
    await desk.type('Grüße', { target: 'window="Other" >> role=textbox' })
    await desk.key('Enter')
    expect(await ask.ended).toEqual({ code: 0, out: 'Grüße\n' })
    await desk.wait({ window: { title: 'Other', present: false } })
    await desk.wait({ uiState: { target: 'window="Other" >> role=button', present: false } })
    expect(await noteOf(desk)).toBeUndefined()
    const picture = await sharp(await desk.picture()).stats()
    expect(picture.isOpaque).toBe(true)
    expect(Math.max(...picture.channels.map((c) => c.stdev))).toBeGreaterThan(5)
  })
})

describeDesktop('pictures', { timeout: 120_000 }, () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open({ width: 1000, height: 700 })
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  const TK = `import tkinter; r = tkinter.Tk(); r.title('Drawn'); tkinter.Label(r, text='Hello', bg='#00ff00', width=40, height=12).pack(); r.mainloop()`
  test.each([
    ['Tk', [PYTHON, '-c', TK], 'Drawn', [0, 255, 0]],
    ['xterm', ['xterm', '-bg', '#00ff00', '-T', 'Drawn'], 'Drawn', [0, 255, 0]],
  ])('show a new window of %s, which has no tree, at the first look', async (_, [program = '', ...args], title, colour) => {
    await desk.launch(program, ...args)
    await desk.wait({ window: { titleContains: title, present: true } })
    const { data, info } = await sharp(await desk.picture())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    let painted = 0
    for (let i = 0; i < data.length; i += info.channels) if (colour.every((c, j) => data[i + j] === c)) painted++
    expect(painted).toBeGreaterThan(5_000)
  })

  test('say why they are black: a window with a password field that does not answer', async () => {
    const { child } = desk.start('zenity', '--password', '--title=Secret')
    await desk.shows('window="Secret" >> role=button && name="OK"')
    child.kill('SIGSTOP')
    const named = async (): Promise<string | undefined> =>
      (await use(desk.client, 'ui.click', { target: 'window="Secret" >> role=button && name="OK"', timeoutMs: 300 })).record['error']?.code
    await expect.poll(named, soon).toBe('APP_HUNG')
    expect(await noteOf(desk)).toMatch(/zenity.*does not answer/)
    const { text } = await use(desk.client, 'ui.snapshot', { includeScreenshot: true })
    expect(text).toMatch(/black: zenity.*does not answer/)
  })
})
