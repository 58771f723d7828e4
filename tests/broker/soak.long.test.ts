import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect } from 'deskhand'
import type { DesktopEvent, Result } from '@deskhand/core/model'
import { BIN, World } from '../support/cli.ts'
import { fixture } from '../support/linux.ts'

const MINUTES = { timeout: 10 * 60_000 }

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

const state = (): string => world.env['DESKHAND_STATE'] ?? ''
const numberOf = (id = ''): number => Number(id.split('-')[1])

/** What a listener heard, in order: every event follows the one before, or is the first after what it was told that it missed. */
class Heard {
  last = 0
  events = 0
  missed = 0
  readonly faults: string[] = []

  take({ id, type, ...event }: Pick<DesktopEvent, 'id' | 'type'> & { from?: string; next?: string }): void {
    if (type === 'missed') {
      if (this.last !== 0 && numberOf(event.from) !== this.last + 1) this.faults.push(`missed from ${event.from} after ${this.last}`)
      this.missed += numberOf(event.next) - numberOf(event.from)
      this.last = numberOf(event.next) - 1
      return
    }
    if (this.last !== 0 && numberOf(id) !== this.last + 1) this.faults.push(`${id} after ${this.last}`)
    this.last = numberOf(id)
    this.events++
  }
}

test('ten thousand events reach fifty listeners in order, and the slow ones are told what they missed', MINUTES, async () => {
  const { pid } = await world.up()
  const QUICK = 40
  const quick = await Promise.all(
    Array.from({ length: QUICK }, async () => {
      const client = await connect({ state: state(), as: 'operator' })
      const heard = new Heard()
      await client.onEvent((event) => heard.take(event))
      return { client, heard }
    }),
  )
  const slow = Array.from({ length: 10 }, () => new Heard())
  const readers = spawn(process.execPath, [fixture('slow-readers.mjs'), state(), String(slow.length), '1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise<void>((ready) => {
      createInterface({ input: readers.stdout }).on('line', (line) => {
        if (line === 'ready') return ready()
        const { reader, ...event } = JSON.parse(line) as { reader: number } & DesktopEvent
        slow[reader]?.take(event)
      })
    })
    const agent = await connect({ state: state() })
    const [first = 0, before] = [quick[0]?.heard.last, memoryOf(pid)]
    const since = Date.now()
    let calls = 0
    for (; (quick[0]?.heard.last ?? 0) - first < 10_000; calls++)
      await agent.call('ui.type', { target: 'name="Amount"', text: String(calls), mode: 'replace' })
    const seconds = (Date.now() - since) / 1000
    const info = await agent.invoke('info', {})
    const end = numberOf(info.event)
    await expect.poll(() => Math.min(...quick.map(({ heard }) => heard.last)), { timeout: 60_000 }).toBeGreaterThanOrEqual(end)
    await expect.poll(() => Math.min(...slow.map((heard) => heard.last)), { timeout: 300_000, interval: 500 }).toBeGreaterThanOrEqual(end)
    const grown = memoryOf(pid) - before
    const missed = slow.reduce((sum, heard) => sum + heard.missed, 0)
    console.log(
      `events: ${end - first} in ${seconds.toFixed(1)} s (${calls} calls), heard by ${QUICK} quick listeners ${quick.reduce((sum, { heard }) => sum + heard.events, 0)} times; ${slow.length} slow ones missed ${missed}; memory +${grown} MB`,
    )
    expect(
      quick.flatMap(({ heard }) => [...heard.faults, ...(heard.missed > 0 ? [`a quick listener missed ${heard.missed}`] : [])]),
    ).toEqual([])
    expect(slow.flatMap((heard) => heard.faults)).toEqual([])
    expect(missed).toBeGreaterThan(0)
    expect(grown).toBeLessThan(300)
    await agent.close()
  } finally {
    readers.kill('SIGKILL')
    await Promise.all(quick.map(({ client }) => client.close()))
  }
})

test(
  'a thousand calls of clients that are killed leave a record that verifies, nothing held, and a desktop that works',
  MINUTES,
  async () => {
    const { pid } = await world.up()
    const agent = await connect({ state: state() })
    const [files, since] = [filesOf(pid), Date.now()]
    let answered = 0
    let clients = 0
    const live = async (): Promise<void> => {
      while (answered < 1_000) answered += await killed(clients++)
    }
    await Promise.all([live(), live(), live()])
    const field = { target: 'name="Amount"', mode: 'replace' }
    expect(await agent.call('ui.type', { ...field, text: 'ab' })).toMatchObject({ status: 'success', effect: 'confirmed' })
    expect((await agent.call('ui.query', { selector: 'name="Amount"' })).data).toMatchObject({ matches: [{ value: 'ab' }] })
    const operator = await connect({ state: state(), as: 'operator' })
    await expect
      .poll(async () => (await operator.invoke('operations.list', {})).filter((o) => o.state !== 'done'), { timeout: 30_000 })
      .toEqual([])
    await operator.close()
    await agent.close()
    await expect.poll(() => filesOf(pid), { timeout: 30_000 }).toBeLessThanOrEqual(files)
    const verified = await world.run(['journal', 'verify'])
    console.log(`calls: ${answered} answered, ${clients} clients killed, in ${((Date.now() - since) / 1000).toFixed(1)} s`)
    expect(verified).toMatchObject({ code: 0 })
  },
)

/** A client that is killed in the middle of its calls, some while a script of theirs holds a key; how many calls were answered. */
async function killed(n: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [BIN, 'call', '--stdin'], {
    env: world.env,
    cwd: world.dir,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const gone = new Promise((done) => child.once('exit', done))
  const enough = 10 + ((n * 7) % 40)
  const lines = Array.from({ length: enough + 20 }, (_, i) => ({
    tool: 'ui.type',
    args: { target: 'name="Amount"', text: `${n}/${i}`, mode: 'replace' },
  }))
  const holding = { tool: 'script.run', args: { script: "pyautogui.keyDown('shift')\ntime.sleep(20)" } }
  const calls: object[] = n % 3 === 0 ? [...lines.slice(0, enough), holding] : lines
  child.stdin?.on('error', () => {}).write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
  let answered = 0
  if (child.stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as Result).status === 'success') answered++
    if (answered >= enough) break
  }
  child.kill('SIGKILL')
  await gone
  return answered
}

const filesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Resident megabytes. */
function memoryOf(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}
