import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import type { Result } from '@deskhand/core/model'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 30_000, interval: 200 }

describeDesktop('answers of real applications', () => {
  let desk: RealDesk
  let home: string
  const ownDesk = (): void => {
    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'dh-answers-'))
      desk = await realDesk()
    })
    afterAll(async () => {
      await desk.close()
      rmSync(home, { recursive: true, force: true })
    })
  }

  const ok = async (tool: string, args: unknown = {}): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result, `${tool} ${JSON.stringify(args)}: ${result.error?.message} ${result.error?.next}\n${result.text}`).toMatchObject({
      status: 'success',
    })
    return result
  }
  const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''

  describe('Gnumeric', () => {
    ownDesk()
    beforeAll(async () => {
      writeFileSync(join(home, 'stock.csv'), 'item,count\nchairs,4\nlamps,7\ntables,2\n')
      await desk.show('stock.csv', 'gnumeric', [join(home, 'stock.csv')])
      await desk.call('ui.wait', { until: { uiState: { target: 'role=textbox && value="A1"' } }, timeoutMs: 30_000 })
    })

    test('the answer to Enter in a dialog says that the dialog has closed, once it has', async () => {
      await ok('ui.type', { target: 'role=textbox && value="A1"', text: 'B3', mode: 'replace', submit: 'Enter' })
      await ok('ui.type', { text: '17\n' })
      const file = join(home, 'stock.gnumeric')
      await ok('ui.key', { keys: 'ctrl+shift+s', verify: { window: { titleContains: 'Save', dialog: true } } })
      const { text } = await ok('ui.type', { target: 'role=textbox && name="Name:"', text: file, mode: 'replace', submit: 'Enter' })
      expect(text).toMatch(/^closed e\d+ dialog "Save the current workbook as"/m)
      expect(text).not.toContain('still open')
      expect(execFileSync('gzip', ['-dcf', file], { encoding: 'utf8' })).toMatch(/<gnm:Cell Row="2" Col="1"[^>]*>17</)
    })

    test('the answer to Enter that a dialog does not close by says that it is still open', async () => {
      await ok('ui.key', { keys: 'ctrl+shift+s', verify: { window: { titleContains: 'Save', dialog: true } } })
      const folder = join(home, 'inner')
      mkdirSync(folder)
      const { text } = await ok('ui.type', { target: 'role=textbox && name="Name:"', text: `${folder}/`, mode: 'replace', submit: 'Enter' })
      expect(text).toMatch(/e\d+ dialog "Save the current workbook as" is still open/)
      const closed = await ok('ui.key', { keys: 'Escape' })
      expect(closed.text).toMatch(/^closed e\d+ dialog/m)
    })
  })

  describe('Thunar', () => {
    ownDesk()
    const folder = (): string => join(home, 'Photos')
    beforeAll(async () => {
      mkdirSync(folder())
      for (const name of ['lisbon-1', 'lisbon-2', 'madrid-1', 'porto-1']) writeFileSync(join(folder(), `${name}.txt`), name)
      await desk.show('Photos', 'thunar', [folder()])
      await desk.call('ui.wait', { until: { text: '4 files' }, timeoutMs: 30_000 })
    })

    test('a key for a panel that holds the focus goes to the focus', async () => {
      await ok('ui.key', { keys: 'ctrl+a', target: 'role=panel && name="Icon view"' })
      await expect.poll(outline, soon).toMatch(/statusbar "Selection: 4 files/)
    })

    test('a menu opens right behind a dialog that closes, and the selection stays', async () => {
      await ok('ui.key', { keys: 'ctrl+2' })
      for (let i = 0; i < 4; i++) {
        const { text } = await ok('ui.batch', {
          steps: [
            { tool: 'key', args: { keys: 'ctrl+s', verify: { window: { titleContains: 'Select', dialog: true } } } },
            { tool: 'type', args: { text: 'lisbon-*', submit: 'Enter' } },
            { tool: 'menu', args: { path: ['Edit', 'Cut'] } },
          ],
        })
        expect(text).toContain('ui.menu')
        expect(await outline()).toMatch(/statusbar "Selection: 2 files/)
      }
    })

    test('an entry that is not in a menu closes the menu, and nothing else', async () => {
      const { error } = await desk.call('ui.menu', { path: ['Edit', 'Nothing of the kind'] })
      expect(error).toMatchObject({ code: 'NOT_FOUND', next: expect.stringContaining('Paste') as string })
      expect(error?.next).not.toMatch(/"Edit"|"Bookmarks"/)
      expect(await outline()).toMatch(/statusbar "Selection: 2 files/)
    })
  })
})
