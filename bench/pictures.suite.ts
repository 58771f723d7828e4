import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { encodePng } from '@deskhand/core/driver'
import { ScreenGrabber } from '@deskhand/driver-linux'
import sharp from 'sharp'
import { onDesk, type Desk } from './linux/desk.ts'
import { median, type Report } from './report.ts'

/** A picture as the X server gives it: blue in the lowest byte. */
interface Picture {
  width: number
  height: number
  words: Uint32Array<ArrayBuffer>
}
type Encode = (picture: Picture) => Promise<Uint8Array>

const RUNS = 15
const UPDATES_PER_S = 10
const APPS_MS = 6000
const REST_MS = 10
const compress = promisify(deflate)

const ENCODERS: Record<'ours' | 'zlib 1' | 'sharp', Encode> = {
  ours: (p) => encodePng({ ...p, lowest: 'blue' }),
  'zlib 1': byZlib,
  sharp: bySharp,
}
type Name = keyof typeof ENCODERS
const PEERS = ['zlib 1', 'sharp'] as const

/** Our PNG encoder beside asynchronous zlib and sharp, on what screens really show: one screenshot, and the parts of a live view. */
export default async function pictures(report: Report): Promise<void> {
  const frames: [string, Picture][] = [['a photograph', photograph(1920, 1080)]]
  await onDesk(report, 'real applications', async (desk) => void frames.unshift(...(await real(desk))))
  for (const [name, frame] of frames) await compare(report, `screenshot of ${name}`, frame)
  for (const [name, frame] of frames) {
    await live(report, `live view, a line of ${name}`, part(frame, 300, 300, 900, 32))
    await live(report, `live view, a pane of ${name}`, part(frame, 300, 200, 1000, 600))
  }
}

/** An editor with a spreadsheet, and a browser: captured when they have come to rest. */
async function real(desk: Desk): Promise<[string, Picture][]> {
  const home = desk.sandbox.env['HOME'] ?? ''
  writeFileSync(join(home, 'page.html'), PAGE)
  const grabber = await ScreenGrabber.open(desk.sandbox.env)
  const grab = async (): Promise<Picture> => grabber.grab()
  try {
    desk.start('mousepad')
    desk.start('soffice', ['--calc', '--norestore', '--nologo', '--nofirststartwizard'])
    await desk.appears('mousepad')
    await desk.appears('soffice')
    await sleep(APPS_MS)
    const office = await grab()
    desk.start('chromium', ['--no-sandbox', '--no-first-run', '--start-maximized', '--disable-gpu', `file://${join(home, 'page.html')}`])
    await sleep(3 * APPS_MS)
    return [
      ['an editor and a spreadsheet', office],
      ['a web page', await grab()],
    ]
  } finally {
    grabber.close()
  }
}

/** Times are taken in turns, as other work on the machine would favour one of the encoders. */
async function measure(picture: Picture, runs: number): Promise<Record<Name, { ms: number; cpu: number; busy: number; size: number }>> {
  const names = Object.keys(ENCODERS) as Name[]
  const samples = Object.fromEntries(names.map((n) => [n, { ms: [], cpu: [], busy: [], size: 0 }])) as unknown as Record<
    Name,
    { ms: number[]; cpu: number[]; busy: number[]; size: number }
  >
  for (let run = -3; run < runs; run++) {
    // Another one begins each time: the collector comes round as regularly as they do, and would always meet the same one.
    names.push(names.shift()!)
    for (const name of names) {
      const copy = { ...picture, words: picture.words.slice() }
      // The threads of the encoder before end what they have begun, so that it does not count for this one.
      await sleep(REST_MS)
      const [start, cpu, loop] = [performance.now(), process.cpuUsage(), performance.eventLoopUtilization()]
      const png = await ENCODERS[name](copy)
      const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(cpu)]
      const { active } = performance.eventLoopUtilization(loop)
      const sample = samples[name]
      sample.size = png.length
      if (run < 0) continue
      sample.ms.push(ms)
      sample.cpu.push((user + system) / 1000)
      sample.busy.push(active)
    }
  }
  const figures = ({ ms, cpu, busy, size }: (typeof samples)[Name]) => ({
    ms: median(ms),
    cpu: median(cpu),
    busy: median(busy),
    size,
  })
  return Object.fromEntries(names.map((n) => [n, figures(samples[n])])) as Record<Name, ReturnType<typeof figures>>
}

async function compare(report: Report, what: string, frame: Picture): Promise<void> {
  const { ours, ...peers } = await measure(frame, RUNS)
  for (const peerName of PEERS) {
    const peer = peers[peerName]
    report.add({ name: `${what}: latency`, unit: 'ms', ours: ours.ms, peer: peer.ms, peerName })
    report.add({ name: `${what}: CPU`, unit: 'ms', ours: ours.cpu, peer: peer.cpu, peerName })
    report.add({ name: `${what}: event loop held up`, unit: 'ms', ours: ours.busy, peer: peer.busy, peerName })
    report.add({ name: `${what}: size`, unit: 'KB', ours: ours.size / 1024, peer: peer.size / 1024, peerName })
  }
}

async function live(report: Report, what: string, picture: Picture): Promise<void> {
  const { ours, ...peers } = await measure(picture, 4 * RUNS)
  const share = (cpu: number): number => (cpu * UPDATES_PER_S) / 10
  for (const peerName of PEERS)
    report.add({
      name: `${what}, ${UPDATES_PER_S}/s`,
      unit: '% of a core',
      ours: share(ours.cpu),
      peer: share(peers[peerName].cpu),
      peerName,
    })
}

function part({ width, words }: Picture, x: number, y: number, w: number, h: number): Picture {
  const out = new Uint32Array(w * h)
  for (let row = 0; row < h; row++) out.set(words.subarray((y + row) * width + x, (y + row) * width + x + w), row * w)
  return { width: w, height: h, words: out }
}

/** Soft shapes with the grain of a sensor: hardly two neighbours are equal. */
function photograph(width: number, height: number): Picture {
  const words = new Uint32Array(width * height)
  let seed = 1
  const grain = (): number => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 28) - 8
  const level = (x: number, y: number, k: number): number =>
    Math.max(0, Math.min(255, 128 + 70 * Math.sin(x / (90 + 40 * k)) + 50 * Math.cos(y / (70 + 30 * k)) + grain()))
  for (let i = 0; i < words.length; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    words[i] = (level(x, y, 0) << 16) | (level(x, y, 1) << 8) | level(x, y, 2)
  }
  return { width, height, words }
}

/** Each row as its difference from the one above: of zlib's ways at level 1 the fastest on screens. */
async function byZlib({ width, height, words }: Picture): Promise<Uint8Array> {
  const stride = 3 * width + 1
  const rows = Buffer.allocUnsafe(stride * height)
  for (let y = 0, at = 0; y < height; y++) {
    const isUp = y > 0
    rows[at++] = isUp ? 2 : 0
    for (let i = y * width, end = i + width; i < end; i++) {
      const word = words[i]!
      const above = isUp ? words[i - width]! : 0
      rows[at++] = (word >>> 16) - (above >>> 16)
      rows[at++] = (word >>> 8) - (above >>> 8)
      rows[at++] = word - above
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const data = await compress(rows, { level: 1, chunkSize: 1 << 20 })
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, body: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(body.length + 12)
  out.writeUInt32BE(body.length, 0)
  out.write(type, 4, 'latin1')
  out.set(body, 8)
  out.writeUInt32BE(crc32(out.subarray(4, body.length + 8)), body.length + 8)
  return out
}

async function bySharp({ width, height, words }: Picture): Promise<Uint8Array> {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    words[i] = (word & 0xff00) | ((word >>> 16) & 0xff) | ((word & 0xff) << 16)
  }
  const raw = Buffer.from(words.buffer, words.byteOffset, words.byteLength)
  return sharp(raw, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png({ compressionLevel: 1, adaptiveFiltering: false, palette: false })
    .toBuffer()
}

const PAGE = `<!doctype html><title>Bench</title><style>body{font:16px sans-serif;margin:0;background:#fff}
header{background:linear-gradient(90deg,#1d3557,#457b9d);color:#fff;padding:32px}article{max-width:900px;margin:24px;line-height:1.6}
.card{display:inline-block;width:260px;height:140px;margin:8px;border-radius:12px;background:linear-gradient(135deg,#f1faee,#a8dadc)}
table{border-collapse:collapse}td{border:1px solid #ccc;padding:4px 12px}</style>
<header><h1>Quarterly report</h1><p>Figures, tables and a little colour</p></header>
<article>${'<p>The quick brown fox jumps over the lazy dog, and the accountant counts invoices until the ledger agrees with the bank. </p>'.repeat(6)}
<div class=card></div><div class=card></div><div class=card></div>
<table>${Array.from({ length: 20 }, (_, i) => `<tr><td>Invoice ${1000 + i}</td><td>${(i * 7919) % 9973}.${i % 100}</td><td>paid</td></tr>`).join('')}</table></article>`
