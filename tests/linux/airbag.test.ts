import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostedDriver, within } from '@deskhand/core/driver'
import type { PointerEvent } from '@deskhand/core/model'
import { afterEach, expect, test, vi } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { govern, type TestDesk } from '../support/desk.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { linuxHost, start } from '../support/linux.ts'

const MANY = 10_000

describeDesktop('the airbag on X', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  let desk: Pick<TestDesk, 'session' | 'call' | 'journal'>

  const open = async (env: Record<string, string>): Promise<void> => {
    sandbox = await testDesktop()
    driver = await linuxHost({ env: { ...sandbox.env, ...env } })
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  }
  afterEach(async () => {
    await desk.session.close()
    await driver.close()
    await sandbox.down()
  })
  const foreign = async () => (await driver.observe.watch('drawing', undefined, 0, within(20_000))).foreign
  const airbag = async () => (await driver.observe.info(within(20_000))).airbag
  const inject = (...words: string[]): void => void execFileSync('xdotool', words, { env: sandbox.env })
  const pointer = (): string => execFileSync('xdotool', ['getmouselocation'], { env: sandbox.env, encoding: 'utf8' })

  /** A terminal with the keyboard; answers with what was typed into it, line by line. */
  const terminal = async (): Promise<() => string> => {
    const [file, ready] = ['typed', 'ready'].map((name) => join(String(sandbox.env['HOME']), name)) as [string, string]
    start(sandbox, 'xterm', ['-e', 'sh', '-c', `touch ${ready}; exec cat > ${file}`])
    await expect.poll(() => existsSync(ready), { timeout: 60_000 }).toBe(true)
    const window = async () => (await driver.observe.read({}, within(20_000))).nodes.find((n) => n.role === 'window')?.states?.active
    await expect.poll(window, { timeout: 60_000 }).toBe(true)
    return () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  }
  const type = async (...keys: string[]): Promise<void> => expect((await desk.call('ui.key', { keys })).error).toBeUndefined()

  test('that only looks sees what another program injects, lets it through, and has it on the record, but not what the agent sends', async () => {
    await open({ DESKHAND_AIRBAG: 'audit_only' })
    expect(await airbag()).toEqual({ mode: 'audit_only' })
    const typed = await terminal()
    inject('key', 'a', 'b', 'Return')
    await expect.poll(foreign, { timeout: 20_000 }).toEqual({ seen: 6, swallowed: 0 })
    await expect.poll(typed, { timeout: 20_000 }).toBe('ab\n')
    await expect
      .poll(async () => (await desk.journal()).filter((e) => e.type === 'operator' && e.what === 'foreign input'), { timeout: 20_000 })
      .toMatchObject([{ detail: { seen: 6, swallowed: 0 } }])
    await type('m', 'i', 'n', 'e', 'Enter')
    await expect.poll(typed, { timeout: 20_000 }).toBe('ab\nmine\n')
    expect(await foreign()).toEqual({ seen: 6, swallowed: 0 })
  })

  test('that swallows lets none of 10,000 injected events through, and the agent goes on, also with a button held down', async () => {
    await open({ DESKHAND_AIRBAG: 'enforce' })
    expect(await airbag()).toEqual({ mode: 'enforce' })
    const typed = await terminal()
    for (let sent = 0; sent < MANY; sent += 1000) inject('key', '--delay', '0', ...Array.from({ length: 500 }, () => 'a'))
    inject('click', '1')
    await expect.poll(foreign, { timeout: 60_000 }).toEqual({ seen: MANY + 2, swallowed: MANY + 2 })
    await type('M', 'i', 'n', 'e', 'Enter')
    await expect.poll(typed, { timeout: 20_000 }).toBe('Mine\n')

    const lease = await vi.waitFor(() => driver.act.take(60_000, within(20_000)), { timeout: 20_000, interval: 100 })
    const step = (...events: PointerEvent[]) => driver.act.step(lease, { do: 'pointer', events }, {}, within(20_000))
    await step({ type: 'move', x: 700, y: 500 }, { type: 'down', button: 'right' })
    inject('mousemove', '3', '3')
    await step({ type: 'up', button: 'right' })
    expect(pointer()).toMatch(/^x:700 y:500 /)
    await driver.act.drop(lease)
  })

  test('that swallows ends with its driver, also when that is killed', async () => {
    await open({ DESKHAND_AIRBAG: 'enforce' })
    const typed = await terminal()
    inject('key', 'a', 'Return')
    await expect.poll(foreign, { timeout: 20_000 }).toEqual({ seen: 4, swallowed: 4 })
    expect(typed()).toBe('')
    process.kill(driver.pid, 'SIGKILL')
    const passes = (): string => {
      inject('key', 'b', 'Return')
      return typed()
    }
    await expect.poll(passes, { timeout: 20_000 }).toMatch(/(^|\n)b\n$/)
  })

  test('that shall except programs only looks, as X does not say for which one input is meant', async () => {
    await open({ DESKHAND_AIRBAG: 'enforce', DESKHAND_AIRBAG_EXCEPT: 'xterm' })
    expect(await airbag()).toMatchObject({ mode: 'audit_only', reason: expect.stringContaining('excepted') as string })
  })
})
