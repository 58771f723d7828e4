import { execFileSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { center } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { BIN, use, World as Cli } from '../support/cli.ts'
import { OPERATOR, placeIn } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { shown, start } from '../support/linux.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const CHROMIUM = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', '--window-size=900,600']

/** Whether a call did something; each kind of tool says it in its own form. */
const isDone = ({ status, success, sent }: Record<string, unknown>): boolean =>
  status === 'success' || success === true || (sent !== undefined && sent !== 'none')

/** A page that stands for the console: its button allows, and the server knows when it was pressed. */
describeDesktop('agents and the console in a browser on the desktop that they drive', () => {
  let server: Server
  let url: string
  let code: Code
  let desk: RealDesk
  let answered = 0
  let opened = 0
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.method === 'POST') answered++
      else if (request.url === '/') opened++
      response.setHeader('content-type', 'text/html')
      response.end(
        '<title>Approvals</title><button onclick="fetch(\'/\', {method: \'POST\'})">Allow it</button><input aria-label="Reason">',
      )
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 30 })
    desk = await realDesk({ ports: { code, own: () => ({ pids: [], consoleUrls: [url] }) } })
    start(desk.sandbox, 'chromium', [...CHROMIUM, url])
    await shown(desk.driver, 'Approvals', 60_000)
    await vi.waitUntil(async () => (await buttons(desk)).length > 0, { timeout: 30_000 })
  })
  afterAll(async () => {
    await desk.close()
    await code.close()
    server.close()
    server.closeAllConnections()
  })

  const buttons = async ({ session }: RealDesk): Promise<unknown[]> => {
    const { data } = await session.call({ tool: 'ui.query', kind: 'query', args: { selector: 'name="Allow it"' }, principal: OPERATOR })
    return (data as { matches: unknown[] }).matches
  }
  const place = async (selector: string) =>
    center(placeIn(await desk.session.call({ tool: 'ui.query', kind: 'query', args: { selector }, principal: OPERATOR })))

  test('neither see the page nor its window', async () => {
    const seen = JSON.stringify([
      await desk.call('ui.snapshot', { scope: 'desktop', includeTree: true, all: true }),
      await desk.call('ui.query', { selector: 'role=button' }),
      await desk.call('desktop.list'),
    ])
    expect(seen).not.toMatch(/Allow it|Approvals|Reason/)
  })

  test('reach it by no route: element, pixel, keys, text, script, plan, drag, wheel', async () => {
    const allow = await place('name="Allow it"')
    const bar = await place('role=textbox && name~="Address"')
    const before = opened
    const script = `import pyautogui\npyautogui.click(${Math.round(allow.x)}, ${Math.round(allow.y)})\n`
    const tries: [string, unknown][] = [
      ['ui.click', { target: 'name="Allow it"' }],
      ['ui.click', { target: 'name="Allow it"', delivery: 'semantic' }],
      ['ui.click_xy', allow],
      ['gui_click', allow],
      [
        'input.pointer',
        {
          events: [
            { type: 'move', ...allow },
            { type: 'down', button: 'left' },
            { type: 'up', button: 'left' },
          ],
        },
      ],
      ['ui.key', { keys: ['Tab', 'Enter'] }],
      ['ui.key', { keys: 'F12' }],
      ['ui.key', { keys: 'ctrl+shift+i' }],
      ['ui.key', { keys: 'ctrl+u' }],
      ['ui.type', { text: 'javascript:document.cookie' }],
      ['gui_hotkey', { keys: ['ctrl', 'l'] }],
      [
        'input.keys',
        {
          events: [
            { type: 'down', key: 'Tab' },
            { type: 'up', key: 'Tab' },
          ],
        },
      ],
      ['ui.click_xy', bar],
      ['ui.drag', { from: allow, to: bar }],
      ['ui.scroll', { deltaY: 3 }],
      ['script.run', { script }],
      ['ui.window', { op: 'maximize' }],
      ['desktop.launch', { app: 'chromium', args: [url] }],
      ['desktop.launch', { app: 'chromium', args: [url.replace('127.0.0.1', 'localhost')] }],
      ['desktop.launch', { app: 'chromium', args: [`view-source:${url}`] }],
      ['desktop.launch', { app: 'xdg-open', args: [url] }],
    ]
    for (const [tool, args] of tries) {
      expect([tool, args, isDone({ ...(await desk.call(tool, args)) })]).toEqual([tool, args, false])
    }
    const plan = await desk.call('plan.rehearse', { actions: [{ tool: 'ui.click_xy', args: allow }] })
    expect(JSON.stringify(plan.data ?? plan.error)).toMatch(/deny|DENIED/)
    expect(answered).toBe(0)
    expect(opened).toBe(before)
    desk.ask('xdotool', 'mousemove', String(Math.round(allow.x)), String(Math.round(allow.y)), 'click', '1')
    await expect.poll(() => answered).toBe(1)
  })

  test('not behind a window of their own either, from which keys lead to the address', async () => {
    start(desk.sandbox, 'chromium', [...CHROMIUM, '--new-window', 'data:text/html,<title>Elsewhere</title>hello'])
    await shown(desk.driver, 'Elsewhere', 60_000)
    const before = opened
    const typed = await desk.call('ui.type', { target: 'role=textbox && name~="Address"', text: `${url}\n`, mode: 'replace' })
    expect(typed).toMatchObject({ sent: 'none', error: { code: 'DENIED' } })
    expect(opened).toBe(before)
    expect(answered).toBe(1)
  })
})

describeDesktop('agents and the terminal in which a person answers, on the desktop that they drive', () => {
  let world: Cli
  let sandbox: Sandbox
  beforeAll(async () => {
    world = new Cli()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE'] ?? '', 'sandboxes') })
    const policy = world.file('policy.toml', '[[rule]]\ntoolName = "desktop.launch"\ndecision = "ask_user"\npriority = 500\n')
    await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id, '--preset', 'sandbox', '--policy', policy)
    start(sandbox, 'xterm', ['-T', 'Answers', '-geometry', '90x30+100+100', '-e', process.execPath, BIN, 'approvals', '--watch'], world.env)
  })
  afterAll(async () => {
    await sandbox.down()
    await world.end()
  })

  const windows = (): string => {
    try {
      return execFileSync('xdotool', ['search', '--name', '^Answers$', 'getwindowname'], { env: sandbox.env, encoding: 'utf8' })
    } catch {
      return ''
    }
  }
  const waiting = async (): Promise<string> => (await world.run(['approvals', 'list', '--json'])).out

  test('reach it by no route, and the question waits for the person', async () => {
    await expect.poll(windows, { timeout: 30_000 }).toContain('Answers')
    const client = await world.mcp()
    const asking = use(client, 'desktop.launch', { app: 'mousepad' })
    await expect.poll(waiting, { timeout: 20_000 }).toContain('desktop.launch')
    // The terminal says which one it is a moment after it is up.
    await expect.poll(async () => (await use(client, 'desktop.list')).text, { timeout: 20_000 }).not.toContain('Answers')
    const at = { x: 300, y: 300 }
    const script = "import pyautogui\npyautogui.click(300, 300)\npyautogui.write('aa')\n"
    for (const [tool, args] of [
      ['ui.type', { text: 'aaaa' }],
      ['ui.key', { keys: ['ArrowDown', 'Enter'] }],
      ['ui.key', { keys: 'Enter' }],
      ['ui.click_xy', at],
      ['gui_click', at],
      ['gui_type', { text: 'aa' }],
      ['gui_hotkey', { keys: ['shift', 'insert'] }],
      ['ui.drag', { from: at, to: { x: 400, y: 300 } }],
      ['ui.window', { op: 'close' }],
      ['ui.window', { target: 'name="Answers"', op: 'activate' }],
      ['desktop.close', { app: 'xterm', force: true }],
      ['script.run', { script }],
    ] as const) {
      const { record } = await use(client, tool, args)
      expect([tool, args, isDone(record)]).toEqual([tool, args, false])
    }
    expect(await waiting()).toContain('desktop.launch')
    expect(windows()).toContain('Answers')
    const { id } = (JSON.parse(await waiting()) as { id: string }[])[0] ?? { id: '' }
    expect((await world.run(['approvals', 'allow', id])).code).toBe(0)
    await asking
  })
})
