import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, within } from '@deskhand/core/driver'
import type { FlatNode } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { TestDesk } from '../support/desk.ts'
import { describePrograms } from '../support/program-contract.ts'
import { byId, lines, start } from '../support/provider-window.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, openWine, type Wine } from '../support/wine.ts'

// Each property of each element is a round trip on Wine, so that every read of nine elements takes its time.

describePrograms('contract, long', ['WordPad', 'a provider of UI Automation'])

describeWine("an agent on a window of Wine's UI Automation", { timeout: 600_000 }, () => {
  const seen = new Seen('uia, long')
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  let look: () => Promise<FlatNode[]>

  beforeAll(async () => {
    wine = await openWine()
    ;({ driver, desk, look } = await start(wine, 'Provider', []))
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  test('an element is clicked at its place, and what changes is told', async () => {
    // A busy machine takes longer over these round trips than an application may over an answer.
    const click = async (): Promise<unknown> => (await desk.call('ui.click', { target: 'uia:automationId="save"' })).error
    await expect.poll(click, { timeout: 90_000, interval: 500 }).toBeUndefined()
    await expect.poll(() => lines(join(wine.folder, 'Provider.log')), { timeout: 60_000 }).toContain('clicked save')
    await expect.poll(async () => byId(await look(), 'counter')?.name, { timeout: 60_000 }).toMatch(/^Count: [1-9]/)
    seen.on('Wine', 'a click on an element, which presses it')
  })

  test('a provider that hangs is told as that, holds up no other window, and is read again when it is back', async () => {
    const wake = join(wine.folder, 'Provider.log.wake')
    const seenPart = async (id: string): Promise<FlatNode> =>
      vi.waitFor(async () => byId(await look(), id) ?? expect.fail(id), { timeout: 90_000 })
    const save = await seenPart('save')
    const { x = 0, y = 0, w = 0, h = 0 } = (await seenPart('hang')).bounds ?? {}
    const lease = await vi.waitFor(() => driver.act.take(120_000, within(20_000)), { timeout: 20_000, interval: 100 })
    const at = { x: Math.round(x + w / 2), y: Math.round(y + h / 2) }
    const events = [
      { type: 'move' as const, ...at },
      { type: 'down' as const, button: 'left' as const },
      { type: 'up' as const, button: 'left' as const },
    ]
    await driver.act.step(lease, { do: 'pointer', events }, {}, within(60_000))
    await expect.poll(() => lines(join(wine.folder, 'Provider.log')), { timeout: 60_000 }).toContain('clicked hang')
    // It lies over the other window from now on.
    wine.run(['notepad.exe'])
    const text = await vi.waitFor(async () => (await look()).find((n) => n.role === 'textbox') ?? expect.fail('no text'), {
      timeout: 90_000,
    })
    const { nodes, completeness } = await driver.observe.read({}, within(60_000))
    expect(existsSync(wake)).toBe(false)
    expect(nodes.find((n) => n.name === 'Provider')?.states?.busy).toBe(true)
    expect(byId(nodes, 'save')).toBeUndefined()
    expect(completeness.reasons.map(({ kind }) => kind)).toContain('hung')
    await expect(driver.act.step(lease, { do: 'press', key: save.key }, {}, within(60_000))).rejects.toMatchObject({
      code: 'STALE_REF',
    })
    await driver.act.step(lease, { do: 'setText', key: text.key, text: 'meanwhile', mode: 'replace' }, {}, within(60_000))
    await driver.act.drop(lease)
    expect((await look()).find((n) => n.role === 'textbox')?.value).toBe('meanwhile')
    writeFileSync(wake, '')
    await expect.poll(async () => byId(await look(), 'save')?.name, { timeout: 60_000 }).toBe('Save')
    seen.on('Wine', 'a provider that hangs: its window alone is told as hung, within its time, and the others are operated')
  })

  test('docs/windows.md says of it what was seen here', () => {
    seen.mustBeTold()
  })
})
