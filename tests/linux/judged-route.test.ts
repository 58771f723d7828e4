import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

/** By the pointer alone may "Archive" be pressed, and "Wipe" by its own action alone; the field "Comment" may be typed into and not clicked. */
const POLICY = `
[[rule]]
toolName = "ui.click"
decision = "deny"
priority = 500
when = { name = "Archive", delivery = "semantic" }

[[rule]]
toolName = "ui.click"
decision = "deny"
priority = 500
when = { name = "Wipe", delivery = "input" }

[[rule]]
toolName = "ui.click"
decision = "deny"
priority = 500
when = { name = "Comment" }
`
const SHAPES = [
  ['GTK 3', 'routes_gtk3.py'],
  ['GTK 4', 'routes_gtk4.py'],
  ['Qt 5', 'routes_qt5.py'],
] as const

describeDesktop.each(SHAPES)('the route that was judged, on %s', (_, program) => {
  let dir: string
  let desk: RealDesk
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'dh-route-'))
    desk = await realDesk({ policy: POLICY })
    await desk.show('Routes', PYTHON, [fixture(program), join(dir, 'log')])
  })
  afterAll(async () => {
    await desk.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const presses = (name: string): number =>
    readFileSync(join(dir, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line === name).length
  const button = (name: string) => ({ target: `name="${name}"`, timeoutMs: 1_000 })

  test('is taken by a call that may take it', async () => {
    expect(await desk.call('ui.click', button('Archive'))).toMatchObject({ status: 'success', via: 'pointer' })
    await expect.poll(() => presses('Archive')).toBe(1)
    expect((await desk.call('ui.click', button('Wipe'))).error?.code).toBe('DENIED')
    const own = await desk.call('ui.click', { ...button('Wipe'), delivery: 'semantic' })
    // GTK 4.8 has no actions on its buttons.
    if (own.status === 'error') expect([own.error?.code, program]).toEqual(['NOT_CAPABLE', 'routes_gtk4.py'])
    await expect.poll(() => presses('Wipe')).toBe(own.status === 'error' ? 0 : 1)
  })

  test('is not replaced by a click into a field that may not be clicked', async () => {
    const before = desk.ask('xdotool', 'getmouselocation')
    await desk.call('ui.type', { target: 'name="Comment"', text: 'hello', timeoutMs: 1_000 })
    await desk.call('ui.focus', { target: 'name="Comment"', timeoutMs: 1_000 })
    await desk.call('ui.key', { target: 'name="Comment"', keys: 'x', timeoutMs: 1_000 })
    expect(desk.ask('xdotool', 'getmouselocation')).toBe(before)
  })

  test('is not replaced by the button’s own action when the pointer does not reach it', async () => {
    const counts = [presses('Archive'), presses('Send')]
    await desk.show('Untitled', 'mousepad')
    desk.ask('xdotool', 'getactivewindow', 'windowsize', '100%', '100%', 'windowmove', '0', '0')
    await expect
      .poll(async () => (await desk.call('ui.query', { selector: 'role=window && name^="Untitled"' })).text, { timeout: 10_000 })
      .toContain('Untitled')
    const refused = await desk.call('ui.click', button('Archive'))
    expect(refused).toMatchObject({ sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    expect(presses('Archive')).toBe(counts[0])
    // Its neighbour has no such rule: it is pressed by its own action where it has one.
    const twin = await desk.call('ui.click', button('Send'))
    if (twin.status === 'error') expect([twin.error?.code, program]).toEqual(['NOT_ACTIONABLE', 'routes_gtk4.py'])
    else await expect.poll(() => presses('Send')).toBe(counts[1]! + 1)
  })
})
