import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rect } from '@deskhand/core/model'
import { readTree, type Told } from '../support/compare-tree.ts'
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

  const entries = async (app = 'thunar'): Promise<Entry[]> => {
    const selector = `(role=cell || role=listitem) && name~=/\\.(txt|pdf|md)$/ && visible=true && app~="${app}"`
    const { data } = await desk.call('ui.query', { selector })
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

  /** What pyatspi finds of Qt's. */
  const outside = async (): Promise<Told[]> =>
    (
      await readTree((command, ...args) => execFileSync(command, args, { env: desk.sandbox.env, encoding: 'utf8', maxBuffer: 1 << 26 }))
    ).filter((t) => t.toolkit === 'Qt')

  test('stay with their files when PCManFM-Qt sorts its list anew, and its tab is called as its folder is', async () => {
    const folder = join(desk.sandbox.env.HOME ?? '', 'letters')
    mkdirSync(folder)
    for (const file of FILES) writeFileSync(join(folder, file), file)
    await desk.show('letters', 'pcmanfm-qt', [folder])
    const inQt = (): Promise<Entry[]> => entries('pcmanfm')
    const names = async (): Promise<string[]> => (await inQt()).map((e) => e.name).toSorted()
    await expect.poll(names, { timeout: 20_000 }).toEqual(FILES)
    const seen = await inQt()
    renameSync(join(folder, 'beta.txt'), join(folder, 'ypsilon.txt'))
    const after = readdirSync(folder).toSorted()
    await expect.poll(names, { timeout: 20_000 }).toEqual(after)
    const theirs = await outside()
    for (const { elementId, name } of seen) {
      const { error, data } = await desk.call('ui.describe', { element: { elementId } })
      if (error !== undefined) expect(error.code).toBe('STALE_REF')
      else {
        const { bounds: b, ...now } = data as Entry
        expect([elementId, now.name]).toEqual([elementId, name])
        expect(theirs.find((t) => t.name === name)?.bounds).toEqual([b.x, b.y, b.w, b.h])
      }
    }
    const tabs = async (): Promise<string[]> =>
      ((await desk.call('ui.query', { selector: 'role=tab && visible=true && app~="pcmanfm"' })).data as { matches: Entry[] }).matches.map(
        (e) => e.name,
      )
    await expect.poll(tabs, { timeout: 20_000 }).toEqual(['letters'])
    await call('ui.key', { keys: ['alt+Up'] })
    await expect.poll(async () => (await outside()).find((t) => t.role === 'page tab')?.name, { timeout: 20_000 }).not.toBe('letters')
    await expect.poll(tabs, { timeout: 20_000 }).not.toEqual(['letters'])
    expect(await tabs()).toEqual((await outside()).filter((t) => t.role === 'page tab').map((t) => t.name))
  })
})
