import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { interpretScript, realClock, validateScript, type ScriptPort } from '@deskhand/code/pyautogui'
import { bundledPython, createPython, systemPython, type Python } from '@deskhand/code/python'
import type { ConfigInput } from '../packages/deskhand/src/config.ts'
import { open, type Opened } from 'deskhand'
import { median, spent, time, type Report } from './report.ts'

const BIN = fileURLToPath(new URL('../packages/deskhand/dist/cli/main.js', import.meta.url))
const PEER = fileURLToPath(new URL('peers/pyautogui_like.py', import.meta.url))

/** Twenty lines as agents mostly write them. */
const TWENTY = `import pyautogui
import time
pyautogui.PAUSE = 0
pyautogui.click(x=960, y=540)
time.sleep(0.5)
pyautogui.hotkey('ctrl', 'l')
pyautogui.write('https://example.org/report', interval=0.01)
pyautogui.press('enter')
time.sleep(2)
for row in range(3):
    pyautogui.click(300, 200 + row * 40)
    pyautogui.hotkey('ctrl', 'a')
    pyautogui.typewrite(f'Row {row}')
    pyautogui.press('tab')
pyautogui.moveTo(500, 600, duration=0.2)
pyautogui.dragTo(700, 600, duration=0.3, button='left')
pyautogui.scroll(-5)
pyautogui.doubleClick(420, 310)
pyautogui.rightClick(430, 320)
print('done')
`

/** Twenty lines of nearly everything that is allowed. */
const DENSE = `import pyautogui
import time
pyautogui.PAUSE = 0
rows = [('Ann', 12.5), ('Bert', 7), ('Grüße', 0.25)]
def enter(x, y, text):
    pyautogui.click(x, y)
    pyautogui.hotkey('ctrl', 'a')
    pyautogui.write(text)
total = 0
for i, (name, amount) in enumerate(rows):
    y = 200 + i * 40
    enter(300, y, name)
    if amount > 1:
        enter(500, y, f'{amount:.2f}')
    total += amount
try:
    pyautogui.press('enter', presses=2)
except pyautogui.PyAutoGUIException as e:
    print('failed', e)
print('total', round(total, 2))
`

/** Scripts and Python: time to start, calls per second, time to abort. */
export default async function code(report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  try {
    await startup(report)
    await aborting(report)
    await python(report, dir)
    await onDesktop(report, dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function startup(report: Report): Promise<void> {
  const validate = (script: string): Promise<number> => time(400, () => validateScript(script), 2_000)
  report.add({ name: 'validate 20 lines', unit: 'ms', ours: await validate(TWENTY), bar: { of: 'ours', atMost: 0.5 } })
  report.add({ name: 'validate 20 lines of nearly everything', unit: 'ms', ours: await validate(DENSE) })
  const first = async (): Promise<number> => {
    const start = performance.now()
    const stop = new AbortController()
    let at = NaN
    const acted = (): void => {
      at = performance.now()
      stop.abort()
    }
    await interpretScript(TWENTY, { port: idlePort(acted), pause: 0, signal: stop.signal })
    return at - start
  }
  for (let i = 0; i < 50; i++) await first()
  const times: number[] = []
  for (let i = 0; i < 200; i++) times.push(await first())
  report.add({ name: '20 lines: from text to the first action', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 1 } })
}

async function aborting(report: Report): Promise<void> {
  const busy = [
    'while True: pass',
    'x = 0\nwhile True:\n    try:\n        x = [i * i for i in range(5000)]\n    except:\n        pass',
    'import time\ntime.sleep(60)',
  ]
  const times: number[] = []
  for (let i = 0; i < 60; i++) {
    const stop = new AbortController()
    const run = interpretScript(busy[i % busy.length] ?? '', {
      port: idlePort(() => {}),
      signal: stop.signal,
      limits: { steps: 1e9, memory: 1e9 },
    })
    await sleep(20)
    times.push(
      await spent(() => {
        stop.abort()
        return run
      }),
    )
  }
  report.add({ name: 'abort a script that is busy or asleep', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 5 } })
  report.add({ name: 'the same, the slowest of 60', unit: 'ms', ours: Math.max(...times) })
}

function idlePort(acted: () => void): ScriptPort {
  const screens = [{ id: 's', bounds: { x: 0, y: 0, w: 1280, h: 800 }, scale: 1, primary: true }]
  return {
    perform: async (kind) => {
      if (kind !== 'screens') acted()
      return {
        status: 'success',
        op: 'o',
        sent: 'all',
        retry: 'observe_first',
        effect: 'unverified',
        data: { screens, pointer: { x: 1, y: 1 } },
      }
    },
    release: async () => {},
    clock: realClock,
  }
}

async function python(report: Report, dir: string): Promise<void> {
  const two = async (p: Python): Promise<void> => {
    const result = await p.run({ code: 'print(2 + 2)' })
    if (!result.ok || result.stdout !== '4\n') throw new Error(`python.run: ${JSON.stringify(result)}`)
  }
  const warm = createPython({ engines: [bundledPython()], projectRoot: dir })
  await two(warm)
  const times: number[] = []
  for (let i = 0; i < 12; i++) {
    await warm.warm()
    times.push(await spent(() => two(warm)))
  }
  report.add({ name: 'python.run, bundled, warm', unit: 'ms', ours: median(times), bar: { of: 'ours', atMost: 60 } })
  await warm.warm()
  report.add({ name: 'memory of a waiting interpreter', unit: 'MB', ours: childMemory() })
  await warm.close()
  const cold = createPython({ engines: [bundledPython({ prewarm: false })], projectRoot: dir })
  report.add({ name: 'python.run, bundled, cold', unit: 'ms', ours: await time(5, () => two(cold), 1), bar: { of: 'ours', atMost: 1200 } })
  await cold.close()
  const host = createPython({ engines: [systemPython()], projectRoot: dir })
  const [engine] = await host.engines()
  if (engine?.ok) report.add({ name: 'python.run, system', unit: 'ms', ours: await time(10, () => two(host), 2) })
  else report.note(`no system engine: ${engine?.reason}`)
  await host.close()
}

/** Resident memory of the largest child process, in MB. */
function childMemory(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const kb = children.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0))
  return Math.max(0, ...kb) / 1024
}

/** On a real X server, compared with Python and python-xlib that send the same events. */
async function onDesktop(report: Report, dir: string): Promise<void> {
  const config = (durability: 'none' | 'real'): ConfigInput => ({
    desktop: { kind: 'sandbox' },
    state: join(dir, durability),
    journal: { durability },
    // The peer's input counts as a person's, as it does not come from Deskhand.
    human: { idleSeconds: IDLE_MS / 1000 },
  })
  let desk: Opened
  try {
    desk = await open({ config: config('none'), keep: true })
  } catch (thrown) {
    return report.note(`no sandbox desktop: ${(thrown as Error).message}`)
  }
  const env = desk.env ?? {}
  const there = spawnSync('/usr/bin/python3', ['-c', 'import Xlib'], { env }).status === 0
  if (!there) report.note('python3-xlib is not installed: nothing to compare with')
  try {
    await firstAction(report, desk, there)
    await callRate(report, desk, there, 'journal without syncs')
  } finally {
    await desk.close()
  }
  const durable = await open({ config: config('real'), keep: true })
  try {
    await callRate(report, durable, there, 'journal on the disk')
  } finally {
    await durable.close()
  }
  await coldCli(report, dir)
}

/** From the text of a script to its first action; ours and the peer's by turns, as the load of the machine varies. */
async function firstAction(report: Report, desk: Opened, there: boolean): Promise<void> {
  const first = async (): Promise<number> => {
    const start = performance.now()
    let at = NaN
    await desk.call(
      'script.run',
      { script: 'import pyautogui\npyautogui.moveTo(100, 100)' },
      { onProgress: () => (at = performance.now()) },
    )
    return at - start
  }
  const young: number[] = []
  for (let i = 0; i < 50; i++) await first()
  for (let i = 0; i < 50; i++) young.push(await first())
  for (let i = 0; i < 2_000; i++) await first()
  const ours: number[] = []
  const theirs: number[] = []
  for (let turn = 0; turn < 9; turn++) {
    if (there) theirs.push(firstOfPeer(desk.env ?? {}))
    await sleep(3 * IDLE_MS)
    for (let i = 0; i < 50; i++) ours.push(await first())
  }
  const peer = there ? { peer: median(theirs), peerName: 'python-xlib' } : {}
  report.add({ name: 'time to the first action, warm session', unit: 'ms', ours: median(ours), ...peer, bar: { of: 'ratio', atLeast: 50 } })
  report.add({ name: 'time to the first action, after 50 scripts', unit: 'ms', ours: median(young), ...peer })
}

const IDLE_MS = 200
const CALLS = ['moveTo', 'click'] as const

/** Calls per second, compared with a peer that makes PyAutoGUI's requests, and with one that only sends the events. */
async function callRate(report: Report, desk: Opened, there: boolean, how: string): Promise<void> {
  const n = 300
  const run = async (call: string): Promise<number> => {
    const script = `import pyautogui\npyautogui.PAUSE = 0\nfor i in range(${n}):\n    pyautogui.${call}(300 + i % 100, 300)\n`
    const start = performance.now()
    const { error } = await desk.call('script.run', { script })
    if (error !== undefined) throw new Error(error.message)
    return (n / (performance.now() - start)) * 1000
  }
  for (const call of CALLS) for (let i = 0; i < 2; i++) await run(call)
  const ours: number[][] = [[], []]
  const peers = { rate: [[], []] as number[][], events: [[], []] as number[][] }
  for (let turn = 0; turn < 5; turn++) {
    await sleep(3 * IDLE_MS)
    for (const [i, call] of CALLS.entries()) ours[i]?.push(await run(call))
    for (const kind of there ? (['rate', 'events'] as const) : [])
      for (const [i, rate] of peerRates(desk.env ?? {}, kind, n).entries()) peers[kind][i]?.push(rate)
  }
  for (const [i, call] of CALLS.entries()) {
    const row = { unit: 'calls/s', ours: median(ours[i] ?? []), better: 'higher' as const }
    const peer = (kind: keyof typeof peers, peerName: string): object => (there ? { peer: median(peers[kind][i] ?? []), peerName } : {})
    const bar = how === 'journal without syncs' ? { bar: { of: 'ratio' as const, atLeast: 1 } } : {}
    report.add({ name: `${call}, ${how}`, ...row, ...peer('rate', 'python-xlib, as PyAutoGUI asks'), ...bar })
    report.add({ name: `${call}, ${how}, beside events alone`, ...row, ...peer('events', 'python-xlib, unasking') })
  }
}

function firstOfPeer(env: NodeJS.ProcessEnv): number {
  const start = Date.now()
  const { stdout } = spawnSync('/usr/bin/python3', [PEER, 'first'], { env, encoding: 'utf8' })
  return Number(stdout) * 1000 - start
}

function peerRates(env: NodeJS.ProcessEnv, kind: 'rate' | 'events', n: number): number[] {
  const { stdout } = spawnSync('/usr/bin/python3', [PEER, kind, String(n)], { env, encoding: 'utf8' })
  return stdout.trim().split(' ').map(Number)
}

/** The command with a running broker: from its start to the first reported step. */
async function coldCli(report: Report, dir: string): Promise<void> {
  const env = { ...process.env, DESKHAND_STATE: join(dir, 'cli') }
  const broker = spawn(process.execPath, [BIN, 'up', '--no-http', '--desktop', 'virtual', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise((ready) => createInterface({ input: broker.stdout }).once('line', ready))
    const once = async (): Promise<void> => {
      const child = spawn(process.execPath, [BIN, 'run', '-'], { env, stdio: ['pipe', 'ignore', 'pipe'] })
      child.stdin.end('pyautogui.moveTo(100, 100)\n')
      const ended = new Promise((r) => child.once('exit', r))
      await new Promise((told) => child.stderr.once('data', told))
      void ended
    }
    report.add({ name: 'time to the first action, cold command', unit: 'ms', ours: await time(5, once, 1) })
  } finally {
    broker.kill('SIGTERM')
    await new Promise((r) => broker.once('exit', r))
  }
}
