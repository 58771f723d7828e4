import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown, told } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 20_000, interval: 100 }

describeDesktop('what an answer says of a real desktop', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterAll(() => desk.close())

  test('a click brings the dialog that it opened, and its button works by the id in the answer', async () => {
    const answers = listen(desk.sandbox, PYTHON, [fixture('modal_gtk3.py')])
    await shown(desk.driver, 'Modal')
    await told(desk.driver)
    const { text = '', data } = await desk.call('ui.click', { target: 'role=button && name="Ask me"' })
    expect(text).toMatch(/^opened:\ne\d+ alert "Really".* modal\n[^]*label "Really\?"[^]*button .*"OK"/)
    expect(data).toMatchObject({ opened: [{ role: 'alert', modal: true, defaultButton: 'Cancel' }] })
    expect(tokens(text)).toBeLessThanOrEqual(250)
    const ok = /(e\d+) (?:button )?"OK"/.exec(text)?.[1]
    const closed = await desk.call('ui.click', { target: ok })
    expect(closed.text).toMatch(/^closed e\d+ alert "Really"/)
    await expect.poll(answers, soon).toEqual(['OK'])
    await desk.call('desktop.close', { app: 'modal_gtk3.py', force: true })
  })

  test('a menu brings its entries', async () => {
    const answers = listen(desk.sandbox, PYTHON, [fixture('modal_gtk3.py')])
    await shown(desk.driver, 'Modal')
    await told(desk.driver)
    await desk.call('ui.snapshot')
    const opened = await desk.call('ui.click', { target: 'role=menu && name="Tools"' })
    const entry = /(e\d+) menuitem "Ask"/.exec(opened.text ?? '')?.[1]
    expect(entry).toBeDefined()
    expect((await desk.call('ui.click', { target: entry })).text).toMatch(/opened:\ne\d+ alert "Really"/)
    await desk.call('ui.key', { keys: 'Escape' })
    await expect.poll(answers, soon).toEqual(['Cancel'])
    await desk.call('desktop.close', { app: 'modal_gtk3.py', force: true })
  })

  test('of a window without a tree it says so, and brings the part of the picture that was drawn', async () => {
    await desk.show('Plain', 'xterm', ['-T', 'Plain', '+bc', '-e', 'cat'])
    // The first one may still see the window being painted.
    await desk.call('ui.type', { text: 'hello' })
    const typed = await desk.call('ui.type', { text: ' again' })
    expect(typed.text).toMatch(/window "Plain" has no tree; the picture shows what was drawn/)
    const [image] = typed.images ?? []
    expect(image?.mimeType).toBe('image/png')
    expect(image!.width * image!.height).toBeLessThan(484 * 316)
    expect((await desk.journal()).some((e) => e.type === 'decided' && e.kind === 'capture')).toBe(true)
    const look = await desk.call('ui.snapshot')
    expect(look.images).toHaveLength(1)
    await desk.call('desktop.close', { app: 'xterm', force: true })
  })
})

describeDesktop('where pictures are denied', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ policy: '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\ndenyMessage = "no pictures"\n' })
  })
  afterAll(() => desk.close())

  test('an answer about a window without a tree says so, and brings none', async () => {
    await desk.show('Plain', 'xterm', ['-T', 'Plain', '+bc', '-e', 'cat'])
    const typed = await desk.call('ui.type', { text: 'hello' })
    expect(typed.text).toMatch(/has no tree, and a picture is refused: .*no pictures/)
    expect(typed.images).toBeUndefined()
    const look = await desk.call('ui.snapshot')
    expect(look.images).toBeUndefined()
    expect(look.text).toMatch(/no pictures/)
  })
})
