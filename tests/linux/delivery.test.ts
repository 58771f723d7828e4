import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

/** Everything that uses the hands of a person is denied, whatever it is for. */
const POLICY = `
[[rule]]
toolName = ["ui.*"]
decision = "deny"
priority = 500
when = { delivery = "input" }
`
const SHAPES = [
  ['GTK 3', 'routes_gtk3.py'],
  ['GTK 4', 'routes_gtk4.py'],
  ['Qt 5', 'routes_qt5.py'],
] as const

describeDesktop.each(SHAPES)('semantic delivery on %s', (_, program) => {
  let dir: string
  let desk: RealDesk
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-delivery-'))
    desk = await realDesk({ policy: POLICY, ports: { human: { mode: 'enforce', idleMs: 600_000, waitMs: 300, corner: true } } })
    await desk.show('Routes', PYTHON, [fixture(program), join(dir, 'log')])
    await desk.show('Untitled', 'mousepad')
  })
  afterAll(async () => {
    await desk.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const log = (): string => readFileSync(join(dir, 'log'), 'utf8')
  /** What a person would notice: where the pointer is, which window has the keyboard, and what is in the document they write. */
  const hands = (): string => `${desk.ask('xdotool', 'getmouselocation')}${desk.ask('xdotool', 'getactivewindow', 'getwindowname')}`

  test('a press and a text reach a window behind the one that a person types in, who keeps pointer, keyboard and focus', async () => {
    desk.ask('xdotool', 'mousemove', '411', '317')
    desk.ask('xdotool', 'type', 'I am writing here')
    await expect.poll(() => desk.session.state.human.paused, { timeout: 10_000 }).toBe(true)
    const before = hands()
    expect(before).toContain('Untitled')
    const pressed = await desk.call('ui.click', { target: 'role=button && name="Archive"', delivery: 'semantic' })
    if (pressed.error?.code === 'NOT_CAPABLE') expect(program).toBe('routes_gtk4.py')
    else {
      expect(pressed).toMatchObject({ status: 'success', via: expect.stringMatching(/^action:/) as string })
      await expect.poll(log).toContain('Archive')
    }
    const written = await desk.call('ui.type', { target: 'name="Comment"', text: 'from the side', delivery: 'semantic' })
    if (written.error?.code === 'NOT_CAPABLE') expect(program).toBe('routes_gtk4.py')
    else {
      expect(written).toMatchObject({ status: 'success', via: 'EditableText' })
      const { data } = await desk.call('ui.query', { selector: 'name="Comment"' })
      expect(data).toMatchObject({ matches: [{ value: 'from the side' }] })
    }
    expect(hands()).toBe(before)
  })

  test('what the toolkit offers only to the pointer is refused, and nothing moves', async () => {
    const before = hands()
    const lines = log()
    const refused = await desk.call('ui.click', { target: 'role=slider', delivery: 'semantic' })
    expect(refused).toMatchObject({ sent: 'none', error: { code: 'NOT_CAPABLE' } })
    expect((await desk.call('ui.click', { target: 'role=button && name="Archive"' })).error?.code).toBe('DENIED')
    expect(hands()).toBe(before)
    expect(log()).toBe(lines)
  })
})
