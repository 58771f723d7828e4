import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostedDriver, type TreePart, within } from '@deskhand/core/driver'
import { App, NodeIndex } from '../../packages/driver-linux/src/atspi/app.ts'
import { accessibilityAddress, sessionBus } from '../../packages/driver-linux/src/atspi/bus.ts'
import { glimpse } from '../../packages/driver-linux/src/atspi/glimpse.ts'
import { identify } from '../../packages/driver-linux/src/atspi/identity.ts'
import { ACCESSIBLE, APPLICATION, REGISTRY, ROOT_PATH } from '../../packages/driver-linux/src/atspi/names.ts'
import { roleOf } from '../../packages/driver-linux/src/atspi/roles.ts'
import { Bus } from '../../packages/driver-linux/src/dbus/index.ts'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { linuxHost, start } from '../support/linux.ts'

const ctx = within(20_000)
const soon = { timeout: 60_000, interval: 100 }
const ROWS = 3_000

describeDesktop('a page that a script fills with thousands of rows', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  const answers: TreePart[] = []
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost(sandbox)
    const page = join(sandbox.env['HOME'] ?? '', 'page.html')
    const row = `'<tr><td>' + word + ' ' + n + '<td><input value="' + n + ' EUR" aria-label="Amount ' + n + '">'`
    const rows = `'<table>' + Array.from({ length: ${ROWS} }, (_, n) => ${row}).join('') + '</table>'`
    const again = `'<button onclick="fill(&quot;Bill&quot;)">Again</button>'`
    const fill = `function fill(word) { document.body.innerHTML = ${again} + ${rows}; document.title = 'Full' }`
    writeFileSync(page, `<!doctype html><title>Empty</title><script>${fill}</script><button onclick="fill('Invoice')">Fill</button>`)
    start(sandbox, 'chromium', ['--no-sandbox', '--disable-gpu', '--force-renderer-accessibility', '--no-first-run', `file://${page}`])
  })
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })

  const read = async (): Promise<TreePart> => {
    const part = await driver.observe.read({}, ctx)
    answers.push(part)
    return part
  }
  const named = (part: TreePart, name: string) => part.nodes.find((n) => n.name === name && (n.role === 'cell' || n.role === 'textbox'))
  const value = async (n: number): Promise<string | undefined> => named(await read(), `Amount ${n}`)?.value

  const press = async (name: string): Promise<void> => {
    const button = async () => (await driver.observe.read({}, ctx)).nodes.find((n) => n.name === name && n.role === 'button')?.key
    await expect.poll(button, soon).toBeDefined()
    const lease = await driver.act.take(30_000, ctx)
    await driver.act.step(lease, { do: 'press', key: (await button()) ?? '' }, {}, ctx)
    await driver.act.drop(lease)
  }

  test('is told as complete only when all of it is, down to the values out of view, and what is told is called what it is', async () => {
    await press('Fill')
    await expect.poll(() => value(ROWS - 1), soon).toBe(`${ROWS - 1} EUR`)
    await expect.poll(async () => (await read()).completeness, soon).toEqual({ complete: true, reasons: [] })
    for (const part of answers) {
      if (named(part, 'Amount 0') === undefined) continue
      expect(part.nodes.filter((n) => n.role === 'unknown')).toEqual([])
      if (part.completeness.complete) expect(named(part, `Amount ${ROWS - 1}`)?.value).toBe(`${ROWS - 1} EUR`)
    }
  })

  test('tells what comes into view when it is scrolled, with its place', async () => {
    const key = named(await read(), `Amount ${ROWS - 1}`)?.key ?? ''
    const lease = await driver.act.take(30_000, ctx)
    await driver.act.step(lease, { do: 'reveal', key }, {}, ctx)
    await driver.act.drop(lease)
    const isSeen = async (n: number): Promise<boolean | undefined> => {
      const { states, bounds } = named(await read(), `Amount ${n}`) ?? {}
      return states?.visible === true && bounds !== undefined
    }
    for (const n of [ROWS - 1, ROWS - 5]) await expect.poll(() => isSeen(n), soon).toBe(true)
    await expect.poll(() => isSeen(0), soon).toBe(false)
  })

  test('shows what is in view to a reader that asks for nothing else', async () => {
    const amounts = (nodes: readonly { name?: string | undefined }[]): string[] =>
      nodes.flatMap(({ name }) => (name?.startsWith('Amount ') === true ? [name] : [])).sort()
    const session = await sessionBus(sandbox.env)
    const bus = await Bus.connect(await accessibilityAddress(session))
    try {
      const [found] = await bus.call(REGISTRY, ROOT_PATH, ACCESSIBLE, 'GetChildren', '', [], 'a(so)')
      const toolkits = await Promise.all(found.map(([name, path]) => bus.get(name, path, APPLICATION, 'ToolkitName', 's').catch(() => '')))
      const [name, path] = found[toolkits.indexOf('Chromium')] ?? ['', '']
      const app = new App(bus, new NodeIndex(), name, path, identify('app', undefined, 'Chromium', 'Chromium'))
      await glimpse(app, 60_000)
      const known = [...app.nodes.values()]
      expect(known.length).toBeGreaterThan(ROWS)
      expect(known.filter((n) => n.isRead).length).toBeLessThan(ROWS / 2)
      const seen = (await read()).nodes.filter((n) => n.role === 'textbox' && n.states?.visible === true)
      expect(amounts(seen)).toContain(`Amount ${ROWS - 1}`)
      expect(amounts(known.filter((n) => n.isShown && roleOf(n.role) === 'textbox'))).toEqual(amounts(seen))
      app.close()
    } finally {
      bus.close()
      session.close()
    }
  })

  test('is told to a newcomer as it is now, though it was another one when it was first read', async () => {
    await press('Again')
    await expect.poll(async () => named(await read(), 'Bill 0'), soon).toBeDefined()
    const newcomer = await linuxHost(sandbox)
    try {
      const look = () => newcomer.observe.read({}, ctx)
      await expect.poll(async () => (await look()).completeness, soon).toEqual({ complete: true, reasons: [] })
      const names = (await look()).nodes.filter((n) => n.role === 'cell').map((n) => n.name ?? '')
      expect(names.filter((n) => n.startsWith('Bill '))).toEqual(Array.from({ length: ROWS }, (_, n) => `Bill ${n}`))
      expect(names.filter((n) => n.startsWith('Invoice '))).toEqual([])
    } finally {
      await newcomer.close()
    }
  })
})
