import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Approval, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BrokerClient } from '../../packages/deskhand/src/broker/client.ts'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const ROUNDS = 20
/** Clicks ask; in the application that behaves, focus and looks do not. */
const RULES = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n'
const OTHER = 'window="Form" && role=textbox && name="Name"'
const BUTTON = 'window="Form" && role=button && name="Spot"'

describeDesktop('while one application misbehaves, the others, approvals and stop go on', { timeout: 300_000 }, () => {
  let world: World
  let sandbox: Sandbox
  let agent: BrokerClient
  let operator: BrokerClient
  const started: ChildProcess[] = []
  const start = (file: string, ...args: string[]): ChildProcess => {
    const child = spawn(PYTHON, [fixture(file), ...args], { env: sandbox.env, stdio: 'ignore' })
    started.push(child)
    return child
  }
  const finds = async (selector: string): Promise<number> => {
    const { data } = await agent.call('ui.query', { selector })
    return (data as { matches: unknown[] } | undefined)?.matches.length ?? 0
  }
  beforeAll(async () => {
    world = new World()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes') })
    const rules = world.file('rules.toml', RULES)
    const { ready } = await world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id, '--preset', 'sandbox', '--policy', rules)
    const place = new DesktopState(world.env['DESKHAND_STATE']!, ready.name)
    agent = await BrokerClient.connect(place, 'agent')
    operator = await BrokerClient.connect(place, 'operator')
    start('form_gtk3.py')
  }, 120_000)
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    await agent.close()
    await operator.close()
    await sandbox.down()
    await world.end()
  }, 60_000)

  const succeeded = (result: Result): void => expect(result, JSON.stringify(result.error)).toMatchObject({ status: 'success' })
  /** From the call of an agent to the question, and from a person's answer to the click's end. */
  const approve = async (): Promise<void> => {
    const clicked = agent.call('ui.click', { target: BUTTON })
    let asked: Approval | undefined
    while (asked === undefined) [asked] = (await operator.invoke('approvals.list', {})) as Approval[]
    await operator.invoke('approvals.answer', { id: asked.id, allow: false })
    expect((await clicked).error?.code).toBe('APPROVAL_DENIED')
  }
  const stopped = async (): Promise<void> => {
    await operator.invoke('stop', {})
  }

  const measured = async (what: string): Promise<void> => {
    const spent: Record<string, number[]> = {}
    const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const from = performance.now()
      await work()
      ;(spent[name] ??= []).push(performance.now() - from)
    }
    for (let i = 0; i < ROUNDS; i++) {
      await timed('query', async () => succeeded(await agent.call('ui.query', { selector: OTHER })))
      await timed('focus', async () => succeeded(await agent.call('ui.focus', { target: OTHER }, { changes: false })))
      await timed('focus, told what changed', async () => succeeded(await agent.call('ui.focus', { target: OTHER })))
      await timed('question and answer', approve)
      await timed('stop', stopped)
      await operator.invoke('resume', {})
    }
    const words = Object.entries(spent).map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b)
      return `${name} ${Math.round(sorted[ROUNDS / 2] ?? 0)} (${Math.round(sorted.at(-1) ?? 0)})`
    })
    process.stdout.write(`${what}, median (longest) of ${ROUNDS} in ms at load ${loadavg()[0]?.toFixed(1)}: ${words.join(', ')}\n`)
  }

  test('no application misbehaves', async () => {
    await expect.poll(() => finds(BUTTON), { timeout: 60_000 }).toBe(1)
    await measured('all well')
  })

  test('one stands still with its window open', async () => {
    const still = start('contract_gtk3.py')
    await expect.poll(() => finds('role=button && name="Press me"'), { timeout: 60_000 }).toBe(1)
    still.kill('SIGSTOP')
    await measured('one hangs')
    still.kill('SIGKILL')
  })

  test('one changes a text as fast as it can beside 10,000 rows', async () => {
    const flood = start('flood_gtk3.py')
    await expect.poll(() => finds('role=window && name="Flood"'), { timeout: 60_000 }).toBe(1)
    await measured('one floods')
    flood.kill('SIGKILL')
  })

  test('one names 100,000 elements', async () => {
    const large = start('flood_gtk3.py', '100000')
    await expect.poll(() => finds('role=window && name="Flood"'), { timeout: 120_000 }).toBe(1)
    await measured('one names 100,000 elements')
    large.kill('SIGKILL')
  })
})
