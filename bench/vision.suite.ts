import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, type Opened } from 'deskhand'
import { cropped, decodePng, Vision, type Picture } from '@deskhand/vision'
import { missing, onDesk, run, type Desk } from './linux/desk.ts'
import { median, spent, type Report } from './report.ts'
import { save, templates } from './vision/templates.ts'

const NEVER = AbortSignal.timeout(3_600_000)
const CALLS = 300
const STARTING_MS = 4_000

/** Reading and locating on what real applications show at 1080p, beside native tesseract and PyAutoGUI's way to locate; each bar on an idle machine. */
export default async function vision(report: Report): Promise<void> {
  const absent = missing('maim', 'tesseract')
  if (absent !== undefined) return report.note(`vision: ${absent}`)
  const folder = mkdtempSync(join(tmpdir(), 'dh-bench-vision-'))
  try {
    await onDesk(report, 'real applications', async (desk) => {
      const { before, after } = await screens(desk, folder)
      const eyes = new Vision({ images: [] })
      try {
        await reading(report, eyes, before, after)
        await beside(report, eyes, before, folder)
        await templates(report, eyes, before, folder)
      } finally {
        await eyes.close()
      }
      await latency(report, desk, before)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** An editor, a spreadsheet and a calculator; then the same after the editor has another text. */
async function screens(desk: Desk, folder: string): Promise<{ before: Picture; after: Picture }> {
  const home = desk.sandbox.env['HOME'] ?? ''
  const text = 'The parcel was handed over to the neighbour on Thursday morning.\n'
  for (const [name, words] of Object.entries({ 'letter.txt': text.repeat(12), 'notes.txt': 'Warning: this cannot be undone.\n'.repeat(9) }))
    writeFileSync(join(home, name), words)
  desk.start('soffice', ['--calc', '--norestore', '--nologo', '--nofirststartwizard'])
  await desk.appears('soffice')
  desk.start('gnome-calculator')
  desk.start('mousepad', [join(home, 'letter.txt')])
  await desk.appears('mousepad')
  await sleep(STARTING_MS)
  const shot = async (name: string): Promise<Picture> => {
    await run('maim', ['-u', join(folder, name)], desk.sandbox.env)
    return decodePng(readFileSync(join(folder, name)))
  }
  const before = await shot('before.png')
  desk.start('mousepad', [join(home, 'notes.txt')])
  await sleep(STARTING_MS)
  return { before, after: await shot('after.png') }
}

const frameOf = (picture: Picture) => ({ ...picture, data: new Uint8Array(picture.data), origin: { x: 0, y: 0 }, scale: 1 })

async function reading(report: Report, eyes: Vision, before: Picture, after: Picture): Promise<void> {
  const read = (picture: Picture) => eyes.recognize(frameOf(picture), { ocr: true, images: [] }, NEVER)
  report.add({ name: 'the first 1080p screen, engines not loaded yet', unit: 'ms', ours: await spent(() => read(before)) })
  // Each cold screen is one that was not read before: its lines stand elsewhere and have another tint, so nothing of it is known.
  const cold: number[] = []
  for (const by of [1, 2, 3, 4, 5]) cold.push(await spent(() => read(shifted(before, by * 3))))
  report.add({ name: 'a whole 1080p screen, cold', unit: 'ms', ours: median(cold), bar: { of: 'ours', atMost: 2_000 } })
  const changed: number[] = []
  const typed = [after, before]
  for (let i = 0; i < 8; i++) {
    const picture = withLine(typed[i % 2]!, i)
    await read(typed[i % 2]!)
    changed.push(await spent(() => read(picture)))
  }
  report.add({
    name: 'a 1080p screen after a line in a window changed',
    unit: 'ms',
    ours: median(changed),
    bar: { of: 'ours', atMost: 150 },
  })
  await read(before)
  const whole = await spent(() => read(after))
  report.add({ name: 'a 1080p screen after a new window opened', unit: 'ms', ours: whole, bar: { of: 'ours', atMost: 150 } })
  const crops: number[] = []
  for (let i = 0; i < 9; i++) crops.push(await spent(() => read(cropped(before, 100 + i * 40, 200 + i * 30, 400, 200))))
  report.add({ name: 'a crop of 400x200, warm', unit: 'ms', ours: median(crops.slice(2)), bar: { of: 'ours', atMost: 200 } })
  if (eyes.pid !== undefined) report.add({ name: 'memory of the process that reads', unit: 'MB', ours: residentMb(eyes.pid) })
}

/** The same screen some rows further down, and a little bluer or less so. */
function shifted({ width, height, data }: Picture, rows: number): Picture {
  const moved = new Uint8Array(data.length)
  moved.set(data.subarray(0, (height - rows) * width * 4), rows * width * 4)
  for (let i = 2; i < moved.length; i += 4) moved[i] = moved[i]! ^ (rows & 15)
  return { width, height, data: moved }
}

/** A line of the screen at another place, as if it had just been written there. */
function withLine(picture: Picture, n: number): Picture {
  const data = new Uint8Array(picture.data)
  for (let row = 0; row < 24; row++) {
    const from = ((300 + n * 16 + row) * picture.width + 300) * 4
    data.copyWithin(((700 + row) * picture.width + 900) * 4, from, from + 500 * 4)
  }
  return { ...picture, data }
}

const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** The same screen by Debian's tesseract, which finds fewer of the words. */
async function beside(report: Report, eyes: Vision, screen: Picture, folder: string): Promise<void> {
  const file = join(folder, 'tesseract.png')
  await save(screen, file)
  const out = join(folder, 'words')
  const native = await spent(() => run('tesseract', [file, out], process.env))
  const fresh = new Vision({ images: [] })
  try {
    const read = (by: Vision) => by.recognize(frameOf(screen), { ocr: true, images: [] }, NEVER)
    const ours = await spent(() => read(fresh))
    report.add({ name: 'a 1080p screen, from nothing', unit: 'ms', ours, peer: native, peerName: 'native tesseract' })
    const lines = await read(eyes)
    const words = lines.flatMap((l) => l.words ?? []).length
    const theirs = readFileSync(`${out}.txt`, 'utf8').split(/\s+/).filter(Boolean).length
    report.add({ name: 'words found in it', unit: 'words', ours: words, peer: theirs, peerName: 'native tesseract', better: 'higher' })
  } finally {
    await fresh.close()
  }
}

/** How long a session's own calls take while screens are read without a pause. */
async function latency(report: Report, desk: Desk, screen: Picture): Promise<void> {
  const session = await open({ config: { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id } } })
  const eyes = new Vision({ images: [] })
  try {
    const alone = await p95(session)
    let goesOn = true
    const busy = (async () => {
      for (let rows = 1; goesOn; rows++) await eyes.recognize(frameOf(shifted(screen, rows % 200)), { ocr: true, images: [] }, NEVER)
    })()
    await sleep(STARTING_MS)
    const beside = await p95(session)
    goesOn = false
    await busy
    const name = "a session's query while screens are read, p95"
    report.add({ name, unit: 'ms', ours: beside, peer: alone, peerName: 'nothing is read', bar: { of: 'ratio', atLeast: 0.8 } })
  } finally {
    await eyes.close()
    await session.close()
  }
}

async function p95(session: Opened): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < CALLS; i++) times.push(await spent(() => session.call('ui.query', { selector: 'role=button', limit: 5 })))
  return times.toSorted((a, b) => a - b)[Math.floor(CALLS * 0.95)] ?? 0
}
