import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bringUp } from '../packages/deskhand/src/desktop/sandbox.ts'
import { isWindowsReady } from '../scripts/setup-windows.mjs'
import { npmFolder } from '../tests/support/npm-folder.ts'
import { enterWine, NODE, onZ, type Wine } from '../tests/support/wine-root.ts'
import type { Report } from './report.ts'

const NUT = { '@nut-tree-fork/nut-js': '4.2.6' }
const beside = (path: string): string => onZ(fileURLToPath(new URL(path, import.meta.url)))

interface Trees {
  ours: Timed
  theirs: Timed
}
interface Timed {
  ms: number
  trips: number
  elements: number
}
interface Typed {
  ms: number
  right: number
  of: number
}
interface Hands {
  click: Pair<number>
  guarded: Pair<number>
  ascii: Pair<Typed>
  unicode: Pair<Typed>
  picture: Pair<number>
  tree: Pair<number>
  elements: number
  peerGone?: string
}
interface Pair<T> {
  ours: T
  theirs?: T
}

/**
 * Windows, on Wine. Its UI Automation gives no subtree at once, so the tree is that of a double of the client whose elements are in another
 * process. AutoHotkey is on neither Debian nor npm; nut.js is.
 */
export default async function windows(report: Report): Promise<void> {
  if (!isWindowsReady()) return report.note('windows: npm run setup:windows makes what this suite runs on')
  const state = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  const wine = await enterWine(await bringUp({ stateDir: state, width: 1280, height: 800 }))
  try {
    trees(report, await figures<Trees>(wine, 'tree', []))
    const log = join(wine.folder, 'contract.log')
    wine.run([NODE, beside('../tests/fixtures/windows/contract.mjs'), '0', onZ(log)], { log: join(wine.folder, 'contract.out') })
    hands(report, await figures<Hands>(wine, 'hands', [onZ(log), onZ(npmFolder('deskhand/windows/bench', NUT))]))
  } finally {
    await wine.down()
    rmSync(state, { recursive: true, force: true })
  }
}

/** What a script on Windows measured. */
async function figures<T>(wine: Wine, script: string, words: readonly string[]): Promise<T> {
  const [file, log] = [join(wine.folder, `${script}.json`), join(wine.folder, `${script}.out`)]
  const [code] = (await once(wine.run([NODE, beside(`windows/${script}.mjs`), ...words, onZ(file)], { log }), 'exit')) as [number]
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${readFileSync(log, 'utf8')}`)
  return JSON.parse(readFileSync(file, 'utf8')) as T
}

function trees(report: Report, { ours, theirs }: Trees): void {
  if (ours.elements !== theirs.elements) throw new Error(`${ours.elements} elements are not ${theirs.elements}`)
  report.add({
    name: `tree of ${ours.elements} elements with a cache request, ${ours.trips} round trip (double)`,
    unit: 'ms',
    ours: ours.ms,
    peer: theirs.ms,
    peerName: `a call per property, ${theirs.trips} round trips`,
    bar: { of: 'ratio', atLeast: 10 },
  })
}

function hands(report: Report, { click, guarded, ascii, unicode, picture, tree, elements, peerGone }: Hands): void {
  if (peerGone !== undefined) report.note(`nut.js: ${peerGone}`)
  const beats = (name: string, { ours, theirs }: Pair<number>): void =>
    report.add({ name, unit: 'ms', ours, ...(theirs !== undefined && { peer: theirs, peerName: 'nut.js' }) })
  beats('click, counted by the application', click)
  beats('click an element that is sure to be there', { ...guarded, ...(click.theirs !== undefined && { theirs: click.theirs }) })
  for (const [name, { ours, theirs }] of [
    ['200 ASCII characters', ascii],
    ['200 Unicode characters', unicode],
  ] as const) {
    const peer = theirs && { peer: theirs.ms, peerName: `nut.js, right ${theirs.right} of ${theirs.of}` }
    report.add({ name: `${name}, right ${ours.right} of ${ours.of}`, unit: 'ms', ours: ours.ms, ...peer })
  }
  beats('the screen as pixels', picture)
  beats(`tree of ${elements} classic elements`, tree)
}
