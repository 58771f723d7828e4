import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'

const FILES = ['alpha.txt', 'beta.txt', 'delta.txt', 'scan-2024.pdf', 'zeta.md']

interface Entry {
  elementId: string
  name: string
  bounds: Rect
}

/** What is refused because the list or the focus was still moving. Nothing was sent, so it may be asked again. */
const MOVING: ReadonlySet<string> = new Set(['TARGET_CHANGED', 'STALE_REF', 'GUARD_BROKEN'])
const MOVED = 'still moving'

describeDesktop('the ids of files in a file manager', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterAll(() => desk.close())

  /** A window that has just opened may move the focus once more: what was refused for that was not sent, and is tried again. */
  const call = async (tool: string, args: unknown): Promise<void> => {
    const act = async (): Promise<string> => {
      const { status, error, sent } = await desk.call(tool, args)
      return error !== undefined && sent === 'none' && MOVING.has(error.code) ? MOVED : (error?.code ?? status)
    }
    let last = ''
    await expect.poll(async () => (last = await act()), { timeout: 20_000 }).not.toBe(MOVED)
    expect(last).toBe('success')
  }

  const entries = async (): Promise<Entry[]> => {
    const { data } = await desk.call('ui.query', { selector: '(role=cell || role=listitem) && name~=/\\.(txt|pdf|md)$/ && visible=true' })
    return (data as { matches: Entry[] }).matches
  }

  /** Of every file that was seen: STALE_REF under its id, or the file itself, where the list has it by its name. */
  async function keep(seen: readonly Entry[], folder: string): Promise<void> {
    const order = readdirSync(folder).toSorted()
    const rows = [...new Set((await entries()).map((e) => e.bounds.y))].toSorted((a, b) => a - b)
    for (const { elementId, name } of seen) {
      const { error, data } = await desk.call('ui.describe', { element: { elementId } })
      if (error !== undefined) expect(error.code).toBe('STALE_REF')
      else expect([elementId, order[rows.indexOf((data as Entry).bounds.y)]]).toEqual([elementId, name])
    }
  }

  test('stay with their files when Thunar sorts its list anew after a rename', async () => {
    const folder = join(desk.sandbox.env.HOME ?? '', 'papers')
    mkdirSync(folder)
    for (const file of FILES) writeFileSync(join(folder, file), file.repeat(file.length * 50))
    await desk.show('papers', 'thunar', [folder])
    await call('ui.key', { keys: ['ctrl+2'] })
    await expect.poll(async () => (await entries()).map((e) => e.name), { timeout: 20_000 }).toEqual(FILES)
    const seen = await entries()
    await call('ui.click', { target: 'role=cell && name="beta.txt"' })
    await call('ui.key', { keys: ['F2'] })
    await call('ui.type', { target: 'role=textbox && value="beta.txt"', text: 'ypsilon.txt', mode: 'replace', timeoutMs: 10_000 })
    await call('ui.key', { keys: ['Enter'] })
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toContain('ypsilon.txt')
    await expect.poll(async () => (await entries()).map((e) => e.name), { timeout: 20_000 }).toContain('ypsilon.txt')
    await keep(seen, folder)
  })
})
