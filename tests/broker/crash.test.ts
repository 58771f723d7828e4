import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JournalEntry, Result } from '@deskhand/core/model'
import { World } from '../support/cli.ts'
import { fixture } from '../support/linux.ts'

const CLICK = { tool: 'ui.click', args: { target: 'name="Press me"' }, callId: 'once-only' }
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n'
const PATIENCE_MS = 30_000

/** A sandbox that outlives its broker, with a window in it and an observer of the X server's raw events. */
class Desktop {
  readonly world = new World()
  id = ''
  #observer?: ChildProcess
  #seen = ''

  async up(): Promise<void> {
    const file = this.world.file('sandbox.yaml', `startup: ["/usr/bin/python3 ${fixture('contract_gtk3.py')} &"]\n`)
    const { out, err } = await this.world.run(['desktop', 'up', '--json', '--file', file])
    if (out === '') throw new Error(err)
    this.id = (JSON.parse(out) as { id: string }).id
    const env = Object.fromEntries(
      [...(await this.world.run(['desktop', 'env', this.id])).out.matchAll(/^export (\w+)='?(.*?)'?$/gm)].map(([, k = '', v = '']) => [
        k,
        v,
      ]),
    )
    this.#observer = spawn('xinput', ['test-xi2', '--root'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    this.#observer.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#seen += text))
  }

  /** Buttons pressed so far, by any route, as the X server tells it. */
  get presses(): number {
    return this.#seen.match(/RawButtonPress/g)?.length ?? 0
  }

  broker(policy: string): Promise<{ pid: number; ready: { journal: string } }> {
    return this.world.up('--desktop', 'sandbox', '--sandbox', this.id, '--policy', this.world.file('policy.toml', policy))
  }

  async click(): Promise<Result> {
    const { out, err } = await this.world.run(['call', '--stdin', '--wait', '25'], `${JSON.stringify(CLICK)}\n`)
    if (out === '') throw new Error(err)
    return JSON.parse(out) as Result
  }

  async allow(): Promise<void> {
    for (let i = 0; i < 200; i++) {
      const [asked] = JSON.parse((await this.world.run(['approvals', 'list', '--json'])).out) as { id: string }[]
      if (asked !== undefined) return void (await this.world.run(['approvals', 'allow', asked.id]))
      await sleep(20)
    }
    throw new Error('no question was asked')
  }

  async end(): Promise<void> {
    this.#observer?.kill()
    if (this.id !== '') await this.world.run(['desktop', 'down', this.id])
    await this.world.end()
  }
}

function entries(journal: string): JournalEntry[] {
  if (!existsSync(journal)) return []
  const lines = readdirSync(journal)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) => readFileSync(join(journal, name), 'utf8').split('\n'))
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as JournalEntry]
    } catch {
      return []
    }
  })
}

/** Kills the broker as soon as the condition holds, from outside. */
async function killWhen(pid: number, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !holds(); await sleep(1)) if (Date.now() > end) throw new Error('it did not come to that')
  process.kill(pid, 'SIGKILL')
}

describe('a broker that is killed', () => {
  let desktop: Desktop
  beforeEach(async () => {
    desktop = new Desktop()
    await desktop.up()
  })
  afterEach(() => desktop.end())

  /** Sends the call, kills the broker at the given moment, starts another and sends the same call again. */
  async function again(policy: string, moment: (journal: string) => boolean): Promise<{ first: Result; second: Result; journal: string }> {
    const { pid, ready } = await desktop.broker(policy)
    const sent = desktop.click()
    if (policy === ASK && moment !== undecided) void desktop.allow().catch(() => {})
    await killWhen(pid, () => moment(ready.journal))
    const first = await sent
    await desktop.broker(policy)
    const answer = desktop.click()
    if (policy === ASK && !entries(ready.journal).some((e) => e.type === 'acting')) await desktop.allow()
    return { first, second: await answer, journal: ready.journal }
  }

  const has =
    (type: JournalEntry['type']) =>
    (journal: string): boolean =>
      entries(journal).some((e) => e.type === type && 'op' in e)
  const undecided = has('decided')

  test('after its decision sends the call that is sent again, once', async () => {
    const { second } = await again(ASK, undecided)
    expect(second).toMatchObject({ status: 'success', sent: 'all' })
    expect(desktop.presses).toBe(1)
  })

  test.each(['answered', 'acting', 'done'] as const)('after the entry %s never acts twice, and says what is known', async (type) => {
    const { second, journal } = await again(ASK, has(type))
    await sleep(300)
    expect(desktop.presses).toBeLessThanOrEqual(1)
    const done = entries(journal).filter((e) => e.type === 'done' && e.sent !== 'none')
    if (done.length === 0) expect(second).toMatchObject({ status: 'error', sent: 'unknown', error: { retry: 'observe_first' } })
    else expect(second).toMatchObject({ sent: 'all' })
  })

  test('between the press and its record answers that it is unknown what was sent, and presses no more', async () => {
    const { second } = await again('', () => desktop.presses > 0)
    expect(desktop.presses).toBe(1)
    expect(['unknown', 'all']).toContain(second.sent)
  })

  test('keeps a record that verifies, with the unfinished call in it', async () => {
    const { journal } = await again('', has('acting'))
    const { code, out } = await desktop.world.run(['journal', 'verify', journal])
    expect({ code, out }).toMatchObject({ code: 0, out: expect.any(String) })
    expect(entries(journal).filter((e) => e.type === 'acting')).toHaveLength(1)
  })
})
