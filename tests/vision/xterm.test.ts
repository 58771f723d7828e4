import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { VisualDOMSnapshot } from '@deskhand/core/model'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture } from '../support/linux.ts'

describeDesktop('a program in a terminal, which has no tree', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-xterm-'))
  const log = join(dir, 'log')
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    d = await realDesk({ size: { width: 1000, height: 700 }, vision })
    await d.show('Menu', 'xterm', ['-T', 'Menu', '-fa', 'DejaVu Sans Mono', '-fs', '12', '-e', fixture('xterm-form.sh'), log])
  })
  afterAll(async () => {
    await d.close()
    await vision.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('is waited for by what it shows, driven by keys, and verified by what it shows then', async () => {
    expect(await d.call('ui.wait', { until: { text: 'Create invoice' }, timeoutMs: 60_000 })).toMatchObject({ status: 'success' })
    const typed = await d.call('ui.key', { keys: '1', verify: { text: 'Invoice 1042 created' } })
    expect(typed).toMatchObject({ status: 'success', verification: { passed: true } })
    expect(readFileSync(log, 'utf8')).toBe('created\n')
    expect(await d.call('ui.assert', { condition: { text: 'Invoice 1042 deleted' } })).toMatchObject({ error: { code: 'ASSERT_FAILED' } })
  })

  test('tells its words with their places in the text index, marked as read', async () => {
    const { data } = await d.call('ui.snapshot', { includeTextIndex: true })
    const { textIndex = [] } = data as VisualDOMSnapshot
    const word = textIndex.find((t) => t.text === 'Manager')
    expect(word).toMatchObject({ source: 'ocr' })
    expect(word!.confidence).toBeGreaterThan(0.8)
    expect(word!.bounds!.w).toBeGreaterThan(40)
    expect(word!.bounds!.h).toBeLessThan(30)
  })

  test('is found by text that is only seen, with its source in the journal, and is not where it says something else', async () => {
    const result = await d.call('ui.click', { target: 'ocr:"Quit"' })
    expect(result).toMatchObject({ status: 'success', sent: 'all' })
    expect(result.risk?.factors.map((f) => f.id)).toContain('source.ocr')
    const decided = (await d.journal()).findLast((e) => e.type === 'decided' && e.kind === 'click')
    expect(decided).toMatchObject({ targets: [{ source: 'ocr', role: 'region', name: 'Quit' }] })
    expect((await d.call('ui.click', { target: 'ocr:"Send money"' })).error?.code).toBe('NOT_FOUND')
    expect(existsSync(log)).toBe(true)
  })

  test('a text that was read a little differently is found, and says how far off it is', async () => {
    const { data } = await d.call('ui.query', { selector: 'ocr:"Invoise Manager"' })
    const [match] = (data as { matches: { name: string; why: string[] }[] }).matches
    expect(match?.why.join()).toMatch(/read as "Invoice Manager", 1 characters off/)
  })
})
