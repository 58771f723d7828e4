import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'

const soon = { timeout: 60_000, interval: 300 }

describeDesktop('the icon view of a file manager, whose icons are in no tree', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'dh-icons-'))
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    for (const name of ['Archive', 'Letters']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'budget.txt'), 'twelve')
    d = await realDesk({ size: { width: 1000, height: 700 }, vision })
    await d.show('dh-icons', 'thunar', [folder])
    await vi.waitFor(async () => expect(await outline()).toMatch(/seen \w+ "budget\.txt"/), soon)
  }, 120_000)
  afterAll(async () => {
    await d.close()
    await vision.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const outline = async (): Promise<string> => (await d.call('ui.snapshot', { budget: 20_000 })).text ?? ''
  /** The title of the window in front, as the X server has it. */
  const title = (): string => {
    const id = /0x\w+/.exec(d.ask('xprop', '-root', '_NET_ACTIVE_WINDOW'))?.[0] ?? ''
    return d.ask('xprop', '-id', id, '_NET_WM_NAME')
  }

  test('an icon is dragged onto another by what is written below it, and the file has moved', async () => {
    const dragged = await d.call('ui.drag', { from: '"budget.txt"', to: '"Archive"' })
    expect(dragged.error).toBeUndefined()
    expect(dragged.risk?.factors.map((f) => f.id)).toContain('source.ocr')
    await expect.poll(() => existsSync(join(folder, 'Archive', 'budget.txt')), soon).toBe(true)
    expect(readFileSync(join(folder, 'Archive', 'budget.txt'), 'utf8')).toBe('twelve')
    expect(existsSync(join(folder, 'budget.txt'))).toBe(false)
    await expect.poll(outline, soon).not.toContain('"budget.txt"')
  })

  test('a folder is opened by a double click on its name, and the file in it is seen', async () => {
    expect((await d.call('ui.click', { target: '"Archive"', clickCount: 2 })).error).toBeUndefined()
    await expect.poll(title, soon).toMatch(/Archive/)
    await expect.poll(outline, soon).toMatch(/seen \w+ "budget\.txt"/)
  })
})
