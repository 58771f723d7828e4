import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '@deskhand/core/model'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

describeDesktop('a form without a tree, made out in its pixels', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-tk-'))
  const log = join(dir, 'log')
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    d = await realDesk({ size: { width: 1000, height: 700 }, vision })
    await d.show('Order form', PYTHON, [fixture('form_tk.py'), log, '--clock'])
  })
  afterAll(async () => {
    await d.close()
    await vision.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** The answer of a call that must succeed. */
  const done = async (tool: string, args?: unknown): Promise<Result> => {
    const result = await d.call(tool, args)
    expect(result.error, tool).toBeUndefined()
    return result
  }
  const written = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')

  test('is outlined with its controls, each marked as seen', async () => {
    await d.call('ui.wait', { until: { text: 'Nothing ordered yet' }, timeoutMs: 60_000 })
    const { text = '' } = await d.call('ui.snapshot')
    expect(text).toMatch(/window "Order form" .*parts are read from pixels/)
    for (const line of [
      'seen textbox "Customer"',
      'seen textbox "Street"',
      'seen checkbox "Express delivery"',
      'seen button "Place order"',
      'seen "Discard"',
    ])
      expect(text).toContain(line)
    expect(text).toMatch(/seen checkbox "Express delivery".* unchecked/)
  })

  test('keeps the ids of its parts while a clock ticks beside them, also when a field was filled', async () => {
    const before = idOf(await d.call('ui.snapshot'), 'textbox "Street"')
    await done('ui.type', { target: 'role=textbox && name="Customer"', text: 'Ines Ortega' })
    const after = await d.call('ui.snapshot')
    expect(idOf(after, 'textbox "Street"')).toBe(before)
    expect(after.text).toContain('value "Ines Ortega"')
    await done('ui.type', { target: before, text: 'Harbour Road 5' })
  })

  test('is operated by role and name; the program itself tells the effects', async () => {
    await done('ui.click', { target: 'role=checkbox && name="Express delivery"' })
    const wait = { until: { uiState: { target: 'role=checkbox && name="Express delivery"', checked: true } }, timeoutMs: 20_000 }
    await done('ui.wait', wait)
    const save = idOf(await d.call('ui.snapshot'), 'button "Place order"')
    const clicked = await d.call('ui.click', { target: save })
    expect(clicked).toMatchObject({ status: 'success', sent: 'all' })
    expect(clicked.risk?.factors.map((f) => f.id)).toContain('source.ocr')
    await d.call('ui.wait', { until: { text: 'Order 7001 for Ines Ortega' }, timeoutMs: 20_000 })
    expect(written()).toBe('express 1\norder Ines Ortega / Harbour Road 5 / 1\n')
    const decided = (await d.journal()).findLast((e) => e.type === 'decided' && e.kind === 'click')
    expect(decided).toMatchObject({ targets: [{ source: 'ocr', role: 'region', name: 'Place order', elementId: save }] })
  })

  test('an id goes stale with what it stood for: the button says something else by now', async () => {
    const journal = await d.journal()
    const { targets } = journal.findLast((e) => e.type === 'decided' && e.kind === 'click') as { targets: { elementId: string }[] }
    const result = await d.call('ui.click', { target: targets[0]!.elementId })
    expect(result.error?.code).toBe('STALE_REF')
    expect(written().match(/order/g)).toHaveLength(1)
  })
})

/** The id in front of a line of an outline. */
function idOf({ text = '' }: Result, line: string): string {
  const found = text.split('\n').find((l) => l.includes(line))
  return /\be\d+\b/.exec(found ?? '')?.[0] ?? `no ${line} in ${text}`
}
