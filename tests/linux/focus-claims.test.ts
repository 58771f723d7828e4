import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/python.ts'

describeDesktop('a tab and a row of Qt that say that they have the focus because they are chosen', () => {
  let d: RealDesk
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-claims-'))
    d = await realDesk()
    await d.show('Roundabout', PYTHON, [fixture('roundabout_qt5.py'), join(dir, 'log')])
  })
  afterAll(async () => {
    await d?.close()
    await rm(dir, { recursive: true, force: true })
  })
  const focused = async (): Promise<unknown> => (await d.call('ui.query', { selector: '(role=tab || role=listitem) && focused=true' })).text
  const told = async (what: RegExp): Promise<void> => {
    await expect.poll(focused, { timeout: 20_000 }).toMatch(what)
  }

  test('are told to have it where the keys go', async () => {
    await d.call('ui.click', { target: 'role=listitem && name="Open"' })
    await told(/^1 found\ne\d+ listitem "Open"/)
    d.ask('xdotool', 'key', 'Tab')
    await told(/tab "General"/)
    await d.call('ui.key', { keys: 'ArrowRight' })
    await told(/tab "Admin"/)
    await d.call('ui.click', { target: 'role=listitem && name="Discard"' })
    await told(/^1 found\ne\d+ listitem "Discard"/)
  })
})
