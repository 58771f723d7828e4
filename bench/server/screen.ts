import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { RfbClient } from '../../tests/support/rfb.ts'
import { median, type Report } from '../report.ts'
import { cpuOf } from './processes.ts'

const PAINT = fileURLToPath(new URL('paint.py', import.meta.url))
const STEPS = 30
/** Where the colour that changes is: in the middle of its square. */
const AT = { x: 132, y: 132 }
const WORK = ['type', 'scroll', 'video'] as const

/** A server of the picture of an X display, ours or another one. */
export interface Shown {
  name: string
  env: NodeJS.ProcessEnv
  /** A WebSocket of the RFB protocol. */
  url: string
  token: string
  /** Seconds of processor time that it has taken. */
  cpu(): number
}

interface Figures {
  latency: number
  work: Partial<Record<(typeof WORK)[number], { cpu: number; bytes: number; updates: number }>>
  /** Why the client could not go on. */
  failed: string | undefined
}

/** From a change on X to the pixels that a client decodes, and what typing, scrolling and a video cost, beside servers that others wrote. */
export async function screens(report: Report, ours: Shown, env: NodeJS.ProcessEnv): Promise<void> {
  const own = await measure(ours)
  report.add({ name: 'from a change on X to decoded pixels', unit: 'ms', ours: own.latency, bar: { of: 'ours', atMost: 60 } })
  for (const peer of [x11vnc, xtigervnc]) {
    const started = await peer(env)
    if (typeof started === 'string') {
      report.note(started)
      continue
    }
    try {
      const theirs = await measure(started.shown)
      const peerName = started.shown.name
      if (theirs.failed !== undefined) report.note(`what ${peerName} sent could not be decoded to its end: ${theirs.failed}`)
      report.add({ name: `… beside ${peerName}`, unit: 'ms', ours: own.latency, peer: theirs.latency, peerName })
      for (const work of WORK) {
        const [a, b] = [own.work[work], theirs.work[work]]
        if (a === undefined || b === undefined) continue
        report.add({ name: `${work}: processor time for five seconds of it`, unit: 'ms', ours: a.cpu * 1000, peer: b.cpu * 1000, peerName })
        report.add({ name: `${work}: the same for each update sent`, unit: 'ms', ours: each(a), peer: each(b), peerName })
        report.add({ name: `${work}: bytes sent`, unit: 'B', ours: a.bytes, peer: b.bytes, peerName })
      }
    } finally {
      await started.end()
    }
  }
}

const each = ({ cpu, updates }: { cpu: number; updates: number }): number => (cpu * 1000) / updates

const MANY = 10

/** What the same work costs with one viewer and with ten. */
export async function viewers(report: Report, shown: Shown): Promise<void> {
  const { paint, end } = painting(shown.env)
  await paint('fill 0')
  const spent: Record<string, number>[] = []
  for (const count of [1, MANY]) {
    const all = await Promise.all(Array.from({ length: count }, () => RfbClient.open(shown.url, shown.token)))
    await sleep(2_000)
    const took: Record<string, number> = {}
    for (const work of WORK) {
      const before = shown.cpu()
      await paint(work)
      await sleep(300)
      took[work] = (shown.cpu() - before) * 1000
    }
    spent.push(took)
    for (const viewer of all) viewer.close()
  }
  await end()
  const [one = {}, many = {}] = spent
  for (const work of WORK) {
    const name = `${work}: processor time for five seconds of it with ${MANY} viewers`
    report.add({ name, unit: 'ms', ours: many[work] ?? Number.NaN, peer: one[work] ?? Number.NaN, peerName: 'with one' })
  }
}

/** A program that draws on an X server what it is told. */
function painting(env: NodeJS.ProcessEnv): { paint(line: string): Promise<void>; tell(line: string): void; end(): Promise<void> } {
  const painter = spawn('/usr/bin/python3', [PAINT], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const paint = async (line: string): Promise<void> => {
    const done = Promise.race([once(painter.stdout, 'data').then(() => true), once(painter, 'exit').then(() => false)])
    painter.stdin.write(`${line}\n`)
    if (!(await done)) throw new Error('the painter ended')
  }
  const end = async (): Promise<void> => {
    painter.stdin.end()
    await once(painter, 'exit')
  }
  return { paint, end, tell: (line) => void painter.stdin.write(`${line}\n`) }
}

async function measure({ url, token, env, cpu }: Shown): Promise<Figures> {
  const { paint, tell, end } = painting(env)
  const viewer = await RfbClient.open(url, token)
  await paint('fill 0')
  for (let i = 0; i < 100 && viewer.updates === 0; i++) await sleep(50)
  await sleep(1_000)
  const took: number[] = []
  for (let i = 1; i <= STEPS; i++) {
    const colour = [(i * 7) & 0xff, (i * 31) & 0xff, (i * 83) & 0xff]
    const seen = new Promise<void>((done) => {
      viewer.onUpdate = () => viewer.pixel(AT.x, AT.y).every((part, at) => part === colour[at]) && done()
    })
    const begun = performance.now()
    tell(`fill ${(colour[0]! << 16) | (colour[1]! << 8) | colour[2]!}`)
    await Promise.race([seen, sleep(2_000)])
    took.push(performance.now() - begun)
    await sleep(100)
  }
  viewer.onUpdate = () => {}
  const work: Figures['work'] = {}
  for (const name of WORK) {
    const [spentBefore, sentBefore, updatesBefore] = [cpu(), viewer.bytes, viewer.updates]
    await paint(name)
    await sleep(300)
    if (viewer.failed !== undefined) break
    work[name] = { cpu: cpu() - spentBefore, bytes: viewer.bytes - sentBefore, updates: viewer.updates - updatesBefore }
  }
  viewer.close()
  await end()
  return { latency: median(took), work, failed: viewer.failed === 'closed' ? undefined : viewer.failed }
}

interface Started {
  shown: Shown
  end(): Promise<void>
}

async function x11vnc(env: NodeJS.ProcessEnv): Promise<Started | string> {
  if (!existsSync('/usr/bin/x11vnc')) return 'x11vnc is not installed'
  const port = await freePort()
  const args = [
    '-rfbport',
    String(port),
    '-rfbportv6',
    '0',
    '-localhost',
    '-nopw',
    '-viewonly',
    '-noremote',
    '-forever',
    '-quiet',
    '-shared',
  ]
  return watched('x11vnc', spawn('x11vnc', args, { env, stdio: 'ignore' }), port, env)
}

/** An X server and its VNC server in one; it has a display of its own. */
async function xtigervnc(env: NodeJS.ProcessEnv): Promise<Started | string> {
  if (!existsSync('/usr/bin/Xtigervnc')) return 'Xtigervnc is not installed (tigervnc-standalone-server)'
  const port = await freePort()
  let number = 200
  while (existsSync(`/tmp/.X11-unix/X${number}`)) number++
  const size = ['-geometry', '1280x800', '-depth', '24', '-SecurityTypes', 'None', '-localhost', '-rfbport', String(port)]
  const child = spawn('Xtigervnc', [`:${number}`, ...size], { stdio: 'ignore' })
  const { XAUTHORITY: _, ...rest } = env
  return watched('Xtigervnc', child, port, { ...rest, DISPLAY: `:${number}` })
}

async function watched(name: string, child: ChildProcess, port: number, env: NodeJS.ProcessEnv): Promise<Started> {
  for (let i = 0; i < 100 && !(await answers(port)); i++) await sleep(100)
  const bridge = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  bridge.on('connection', (socket) => {
    const tcp = connect(port, '127.0.0.1')
    tcp.setNoDelay(true)
    tcp.on('data', (bytes) => socket.send(bytes))
    tcp.on('error', () => socket.terminate())
    socket.on('message', (bytes: Buffer) => tcp.write(bytes))
    socket.on('close', () => tcp.destroy())
  })
  await once(bridge, 'listening')
  const url = `ws://127.0.0.1:${(bridge.address() as AddressInfo).port}`
  return {
    shown: { name, env, url, token: '', cpu: () => cpuOf(child.pid ?? 0) },
    end: async () => {
      bridge.close()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(() => false)
  socket.destroy()
  return isThere
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
