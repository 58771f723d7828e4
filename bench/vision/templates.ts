import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cropped, type Picture, type Vision } from '@deskhand/vision'
import sharp from 'sharp'
import { npmFolder } from '../../tests/support/npm-folder.ts'
import type { Timed } from '../linux/desk.ts'
import { Lines } from '../peers/lines.ts'
import { time, type Report } from '../report.ts'

const RUNS = 9
const PEER_RUNS = 5
const NEVER = AbortSignal.timeout(3_600_000)
/** Where pictures of a usual size are cut out of the screen: an icon, a button, a pane. */
const NEEDLES = [
  ['an icon of 24x24', { x: 240, y: 150, w: 24, h: 24 }],
  ['a button of 120x36', { x: 700, y: 300, w: 120, h: 36 }],
  ['a pane of 300x200', { x: 400, y: 500, w: 300, h: 200 }],
] as const

/** Pictures that lie on a screen as they are, and pictures that a little noise was laid over, beside what PyAutoGUI does and OpenCV in wasm. */
export async function templates(report: Report, vision: Vision, screen: Picture, folder: string): Promise<void> {
  const peer = new Lines('/usr/bin/python3', [fileURLToPath(new URL('../peers/locate.py', import.meta.url))], process.env)
  const wasm = await openCv().catch((error: unknown) => report.note(`OpenCV in wasm: ${String(error)}`))
  const paths = { hay: join(folder, 'screen.png'), needle: join(folder, 'needle.png') }
  try {
    await save(screen, paths.hay)
    for (const [name, at] of NEEDLES) {
      const needle = busy(screen, at)
      for (const [kind, wanted] of [
        ['exact', needle],
        ['correlated', noisy(needle)],
      ] as const) {
        const file = `${paths.needle}.${kind}.${name.length}.png`
        await save(wanted, file)
        const look = () => vision.locate(screen, { pixels: wanted }, { confidence: 0.9, limit: 1 }, NEVER)
        if ((await look()).length === 0) report.note(`${name}, ${kind}: not found by us`)
        const ours = await time(RUNS, look, 2)
        const asked = { needle: file, haystack: paths.hay, confidence: 0.9, runs: PEER_RUNS }
        const theirs = await peer.ask<Timed<unknown>>(asked).catch((error: unknown) => report.note(`PyAutoGUI's way: ${String(error)}`))
        const bar = { of: 'ratio', atLeast: kind === 'exact' ? 30 : 1.5 } as const
        const row = { name: `locate ${name} at 1080p, ${kind}`, unit: 'ms', ours }
        report.add({ ...row, peer: theirs?.ms, peerName: "PyAutoGUI's way", bar })
        if (wasm) report.add({ ...row, peer: await time(PEER_RUNS, () => wasm(screen, wanted), 1), peerName: 'OpenCV in wasm' })
      }
    }
  } finally {
    await peer.close()
  }
}

/** The place near this one with the most in it: an empty square is no picture to look for. */
function busy(screen: Picture, { x, y, w, h }: { x: number; y: number; w: number; h: number }): Picture {
  let best = cropped(screen, x, y, w, h)
  for (let row = 0; row < 12; row++)
    for (let column = 0; column < 12; column++) {
      const other = cropped(screen, x + column * 53, y + row * 31, w, h)
      if (other.width === w && other.height === h && changesIn(other) > changesIn(best)) best = other
    }
  return best
}

function changesIn({ data }: Picture): number {
  let changes = 0
  for (let i = 4; i < data.length; i += 4) if (data[i] !== data[i - 4] || data[i + 1] !== data[i - 3]) changes++
  return changes
}

function noisy(picture: Picture): Picture {
  let seed = 7
  const grain = (): number => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 28) - 8
  return { ...picture, data: picture.data.map((v, i) => (i % 4 === 3 ? 255 : Math.max(0, Math.min(255, v + grain())))) }
}

export async function save({ width, height, data }: Picture, file: string): Promise<void> {
  writeFileSync(
    file,
    await sharp(Buffer.from(data), { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .png()
      .toBuffer(),
  )
}

interface Mat {
  delete(): void
}
interface OpenCv {
  Mat: new () => Mat
  matFromImageData(picture: Picture): Mat
  matchTemplate(hay: Mat, needle: Mat, result: Mat, method: number): void
  minMaxLoc(result: Mat): unknown
  TM_CCOEFF_NORMED: number
  onRuntimeInitialized?: () => void
}

/** From npm into a cache folder of its own; nothing of it becomes ours. */
async function openCv(): Promise<(hay: Picture, needle: Picture) => void> {
  const dir = npmFolder('deskhand-bench-vision', { '@techstark/opencv-js': '5.0.0-release.1' })
  const entry: string = createRequire(join(dir, 'package.json')).resolve('@techstark/opencv-js')
  const { default: loaded } = (await import(entry)) as { default: OpenCv | Promise<OpenCv> }
  const cv = await loaded
  if (cv.Mat === undefined) await new Promise<void>((ready) => (cv.onRuntimeInitialized = ready))
  return (hay, needle) => {
    const mats = [cv.matFromImageData(hay), cv.matFromImageData(needle), new cv.Mat()] as const
    cv.matchTemplate(mats[0], mats[1], mats[2], cv.TM_CCOEFF_NORMED)
    cv.minMaxLoc(mats[2])
    for (const mat of mats) mat.delete()
  }
}
