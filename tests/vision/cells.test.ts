import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

describeDesktop('a cell that only pixels show', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-cells-'))
  const vision = new Vision({ images: [] })
  let d: RealDesk
  let log: string
  const table = (...options: string[]): void => {
    beforeAll(async () => {
      log = join(dir, `log${options.length}`)
      d = await realDesk({ size: { width: 1000, height: 700 }, vision })
      await d.show('Stock', PYTHON, [fixture('table_tk.py'), log, ...options])
      await d.call('ui.wait', { until: { text: 'Garage' }, timeoutMs: 60_000 })
      await d.call('ui.snapshot')
    })
    afterAll(() => d.close())
  }
  afterAll(async () => {
    await vision.close()
    rmSync(dir, { recursive: true, force: true })
  })

  describe('whose field opens at a click', () => {
    table('--editable')
    test('takes a value, and the answer says what is read there now and nothing of what is only made out otherwise', async () => {
      const set = await d.call('ui.set', { target: 'name="72"', value: '75' })
      expect(set, `${set.error?.message}\n${set.text}`).toMatchObject({ status: 'success', effect: 'confirmed' })
      expect(set.text).toMatch(/^e\d+ cell "72": reads "75" now$/m)
      expect(set.text).not.toMatch(/Chairs|Hall|seen table|seen row/)
      expect(readFileSync(log, 'utf8')).toBe('Lamps / Cellar / 75\n')
    })
  })

  describe('of a spreadsheet', () => {
    beforeAll(async () => {
      const file = join(dir, 'stock.csv')
      writeFileSync(file, 'item,count\nchairs,4\nlamps,7\ntables,2\n')
      d = await realDesk({ vision })
      await d.show('stock.csv', 'gnumeric', [file])
      await d.call('ui.wait', { until: { uiState: { target: 'role=textbox && value="A1"' } }, timeoutMs: 60_000 })
    })
    afterAll(() => d.close())

    test('takes a value by its current cell, and empty cells are no fields', async () => {
      await expect.poll(async () => (await d.call('ui.snapshot')).text, { timeout: 60_000 }).toMatch(/seen cell "lamps"/)
      const set = await d.call('ui.set', { target: 'name="lamps"', value: 'stools' })
      expect(set, `${set.error?.message}\n${set.text}`).toMatchObject({ status: 'success', sent: 'all' })
      const { text } = await d.call('ui.snapshot')
      expect(text).not.toMatch(/seen textbox/)
      const saved = join(dir, 'stock.gnumeric')
      await d.call('ui.key', { keys: 'ctrl+shift+s', verify: { window: { titleContains: 'Save', dialog: true } } })
      await d.call('ui.type', { target: 'role=textbox && name="Name:"', text: saved, mode: 'replace', submit: 'Enter' })
      const sheet = (): string => (existsSync(saved) ? execFileSync('gzip', ['-dcf', saved], { encoding: 'utf8' }) : '')
      await expect.poll(sheet, { timeout: 30_000 }).toMatch(/<gnm:Cell Row="2" Col="0"[^>]*>stools</)
      expect(sheet()).toMatch(/<gnm:Cell Row="1" Col="0"[^>]*>chairs</)
    })
  })

  describe('whose field does not', () => {
    table()
    test('is not typed at, and the answer says how to open it', async () => {
      const set = await d.call('ui.set', { target: 'name="72"', value: '75' })
      expect(set.error).toMatchObject({ code: 'NOT_ACTIONABLE', next: expect.stringContaining('clickCount 2') as string })
      expect(existsSync(log)).toBe(false)
      const id = /e\d+/.exec(set.text ?? '')?.[0]
      await d.call('ui.click', { target: id, clickCount: 2 })
      await d.call('ui.type', { text: '75\n' })
      await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8')).toBe('Lamps / Cellar / 75\n')
    })
  })
})
