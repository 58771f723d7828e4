import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Driver, within } from '@deskhand/core/driver'
import type { FlatNode, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, double, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const fixture = (name: string): string => onZ(fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url)))
const seen = new Seen('programs')

describeWine('programs that come with Wine', () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  const look = async (): Promise<FlatNode[]> => (await driver.observe.read({}, within(60_000))).nodes
  const use = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result.error, `${tool} ${JSON.stringify(args)}: ${result.error?.message}`).toBeUndefined()
    return result
  }

  const shown = (selector: string): Promise<Result> =>
    use('ui.wait', { until: { uiState: { target: selector, visible: true } }, timeoutMs: 60_000 })

  beforeAll(async () => {
    wine = await openWine()
    driver = (await wine.driver()).driver
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  test('a program with higher rights is shown by its window alone, and whatever is sent to it is refused at once', async () => {
    wine.run([NODE, fixture('elevated.mjs'), 'notepad.exe'], { log: join(wine.folder, 'elevated.out') })
    const window = async (): Promise<FlatNode | undefined> => (await look()).find((n) => n.name === 'Untitled - Notepad')
    await expect.poll(window, { timeout: 60_000 }).toMatchObject({ role: 'window', states: { active: true } })
    const part = await driver.observe.read({}, within(60_000))
    expect(part.nodes.filter((n) => n.parent === part.nodes[0]?.key)).toEqual([])
    expect(part.completeness.reasons).toMatchObject([{ kind: 'degraded', detail: expect.stringContaining('higher rights') as string }])
    const key = (await window())?.key ?? ''
    const { x = 0, y = 0, w = 0, h = 0 } = (await window())?.bounds ?? {}
    const lease = await driver.act.take(20_000, within(20_000))
    const step = (what: Parameters<Driver['act']['step']>[1]) => driver.act.step(lease, what, {}, within(20_000))
    const refused = { code: 'NOT_ACTIONABLE', message: expect.stringContaining('higher rights') as string }
    await expect(step({ do: 'text', text: 'no' })).rejects.toMatchObject(refused)
    await expect(step({ do: 'keys', events: [{ type: 'down', key: 'Enter' }] })).rejects.toMatchObject(refused)
    await expect(step({ do: 'window', key, op: 'close' })).rejects.toMatchObject(refused)
    const click = [
      { type: 'move', x: x + w / 2, y: y + h / 2 },
      { type: 'down', button: 'left' },
    ] as const
    await expect(step({ do: 'pointer', events: [...click] })).rejects.toMatchObject(refused)
    await driver.act.drop(lease)
    await once(wine.run(['taskkill', '/f', '/im', 'notepad.exe']), 'exit')
    seen.on('Wine', 'a program with higher rights: told at once, input refused')
  })

  test('a lock screen or a question of UAC is told at once, whatever is asked, and nothing is sent until it is gone', async () => {
    const locked = join(wine.folder, 'locked')
    const { driver: onLocked } = await wine.driver({ NODE_OPTIONS: double('locked.mjs'), LOCKED: onZ(locked) })
    const lease = await onLocked.act.take(60_000, within(20_000))
    const move = () => onLocked.act.step(lease, { do: 'pointer', events: [{ type: 'move', x: 5, y: 5 }] }, {}, within(20_000))
    expect((await move()).sent).toBe('all')
    writeFileSync(locked, '')
    const refused = { code: 'NO_DESKTOP', message: expect.stringContaining('lock screen') as string }
    await expect(onLocked.observe.read({}, within(20_000))).rejects.toMatchObject(refused)
    await expect(onLocked.observe.capture({}, within(20_000))).rejects.toMatchObject(refused)
    await expect(move()).rejects.toMatchObject(refused)
    rmSync(locked)
    expect((await move()).sent).toBe('all')
    await onLocked.close()
    seen.on('a double', 'the lock screen and the secure desktop: told at once, input refused')
  })

  test('a value is changed in the registry editor, and the registry has it', async () => {
    await once(wine.run(['reg', 'add', 'HKCU\\Deskhand', '/v', 'Greeting', '/d', 'Grüße 漢字', '/f']), 'exit')
    wine.run(['regedit.exe'])
    await shown('role=treeitem && name="HKEY_CURRENT_USER"')
    const lease = await driver.act.take(20_000, within(20_000))
    const key = (await look()).find((n) => n.name === 'HKEY_CURRENT_USER')?.key ?? ''
    await driver.act.step(lease, { do: 'expand', key }, {}, within(20_000))
    await driver.act.drop(lease)
    await use('ui.click', { target: 'role=treeitem && name="Deskhand"' })
    await shown('role=row && name="Greeting"')
    expect((await look()).find((n) => n.role === 'cell' && n.name === 'Grüße 漢字')).toBeDefined()
    await use('ui.click', { target: 'role=row && name="Greeting"' })
    await use('ui.key', { keys: 'Enter' })
    await shown('role=dialog && name="Edit String"')
    await use('ui.type', { target: 'role=dialog >> role=textbox && name="Value data"', text: 'Привет 😀', mode: 'replace' })
    await use('ui.click', { target: 'role=dialog >> role=button && name="OK"' })
    await shown('role=cell && name="Привет 😀"')
    const log = join(wine.folder, 'registry.txt')
    await once(wine.run(['regedit', '/E', onZ(log), 'HKEY_CURRENT_USER\\Deskhand']), 'exit')
    expect(readFileSync(log, 'utf16le')).toContain('"Greeting"="Привет 😀"')
    await use('ui.window', { target: 'role=window && name="Registry Editor"', op: 'close' })
    seen.on('Wine', 'regedit: a branch unfolded, a value changed in its dialog')
  })

  test('a word is made bold in WordPad by its toolbar, and is bold in the file', async () => {
    const file = join(wine.folder, 'letter.rtf')
    const log = join(wine.folder, 'listens.out')
    const ended = once(wine.run([NODE, fixture('listens.mjs')], { log }), 'exit')
    await expect.poll(() => (existsSync(log) ? readFileSync(log, 'utf8') : ''), { timeout: 60_000 }).toContain('listens')
    wine.run(['C:\\Program Files\\Windows NT\\Accessories\\wordpad.exe'])
    expect(await ended).toEqual([0, null])
    seen.on('Wine', 'WinEvents, which wake a caller that waits for changes')
    await shown('win32:legacyId=1400')
    await use('ui.type', { target: 'window*="Wordpad" >> role=textbox', text: 'plain ' })
    await use('ui.click', { target: 'win32:legacyId=1400' })
    await expect
      .poll(async () => (await look()).find((n) => n.platformIds?.legacyId === '1400')?.states?.checked, { timeout: 20_000 })
      .toBe(true)
    await use('ui.key', { keys: ['s', 't', 'r', 'o', 'n', 'g'] })
    await use('ui.key', { keys: 'ctrl+s' })
    await shown('role=dialog && name="Save As"')
    await use('ui.type', { target: 'role=combobox && name="File name"', text: onZ(file), mode: 'replace' })
    await use('ui.click', { target: 'role=dialog >> role=button && name="Save"' })
    await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 20_000 }).toMatch(/plain .*\\b\b.*strong/s)
    seen.on('Wine', 'WordPad: a word made bold by the toolbar, and saved')
  })

  test('docs/windows.md says of these programs what was seen here', () => {
    seen.mustBeTold()
  })
})
