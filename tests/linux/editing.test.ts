import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { fixture, listen, PYTHON, shown } from '../support/linux.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const soon = { timeout: 20_000, interval: 100 }

describeDesktop('what is in a window and what is not', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterEach(async () => {
    const { data } = await desk.call('desktop.list')
    for (const { pid } of (data as { applications: { pid: number }[] }).applications) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect((await desk.call('desktop.list')).data).toMatchObject({ applications: [] }), soon)
  })
  afterAll(() => desk.close())

  const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''

  test.each([
    { toolkit: 'GTK 3', file: 'editing_gtk3.py', key: 'Enter' },
    { toolkit: 'Qt, whose lists do not list it', file: 'editing_qt5.py', key: 'F2' },
  ])('the field in which an entry is renamed in place is told while it is open: $toolkit', async ({ file, key }) => {
    const said = listen(desk.sandbox, PYTHON, [fixture(file)])
    await shown(desk.driver, 'Editing')
    await expect.poll(outline, soon).toContain('"beta"')
    await desk.call('ui.click', { target: 'name=beta && (role=cell || role=listitem)' })
    await desk.call('ui.key', { keys: key })
    await expect.poll(outline, soon).toMatch(/textbox .*value "beta".* focused/)
    const typed = await desk.call('ui.type', { target: 'role=textbox && focused=true', text: 'delta', mode: 'replace' })
    expect(typed, JSON.stringify(typed.error)).toMatchObject({ effect: 'confirmed' })
    await desk.call('ui.key', { keys: 'Enter' })
    await expect.poll(said, soon).toEqual(['renamed delta'])
    await expect.poll(outline, soon).not.toMatch(/textbox .*value/)
    expect(await outline()).toMatch(/(?:cell|listitem) "delta"/)
  })

  test('the key that ends a text is pressed, also in a field of several lines', async () => {
    const heard = listen(desk.sandbox, PYTHON, [fixture('keys_gtk3.py'), 'several lines'])
    await shown(desk.driver, 'Keys')
    await expect.poll(outline, soon).toContain('textbox')
    const typed = await desk.call('ui.type', { target: 'role=textbox', text: '6×7', submit: 'Enter' })
    expect(typed, JSON.stringify(typed.error)).toMatchObject({ status: 'success', sent: 'all' })
    await expect.poll(heard, soon).toContain('press Return')
  })

  test.each([
    { toolkit: 'GTK 3', file: 'editing_gtk3.py' },
    { toolkit: 'GTK 4', file: 'editing_gtk4.py' },
    { toolkit: 'Qt', file: 'editing_qt5.py' },
  ])('of a stack only the page that shows is told, and a query lists what can be seen first: $toolkit', async ({ file }) => {
    listen(desk.sandbox, PYTHON, [fixture(file)])
    await shown(desk.driver, 'Editing')
    await expect.poll(outline, soon).toContain('button "One 5"')
    const text = await outline()
    expect(text.match(/textbox/g)).toHaveLength(6)
    expect(text).not.toContain('Two')
    const { data, text: found } = await desk.call('ui.query', { selector: 'role=button && (name^="Two" || name^="One")', limit: 100 })
    const { matches } = data as { matches: { name: string; states?: { visible?: boolean } }[] }
    expect(matches.slice(0, 6).map((m) => m.name)).toEqual(['One 0', 'One 1', 'One 2', 'One 3', 'One 4', 'One 5'])
    if (matches.length > 6) expect(found).toMatch(/^\d+ found, \d+ of them hidden/)
  })
})
