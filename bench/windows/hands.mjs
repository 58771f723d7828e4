// What clicks, texts and pictures cost on node for Windows: by the driver, and by nut.js where it starts. Needs the window of the driver contract.
// Words: that window's file of what happened; a folder with nut.js; the file for the figures.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { within } from '@deskhand/core/driver'
import { openWindows } from '../../packages/driver-windows/dist/driver.js'
import { textIn } from '../../packages/driver-windows/dist/win32/message.js'

const [, , log, folder, file] = process.argv
const [CLICKS, TEXTS, PICTURES, PATIENCE_MS] = [20, 5, 10, 20_000]
const ASCII = 'The quick brown fox (a+b)*c jumps; over {it} @ 50% & more. '.repeat(4).slice(0, 200)
const UNICODE = 'é漢字かなЖЯ→€😀ß '.repeat(17).slice(0, 200)
const figures = {}
const driver = await openWindows(process.env)
const ctx = () => within(60_000)
const lease = await driver.act.take(600_000, ctx())

async function part(name, role) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    const found = (await driver.observe.read({}, ctx())).nodes.find((n) => n.name === name && n.role === role)
    if (found !== undefined) return found
  }
  throw new Error(`there is no ${role} "${name}"`)
}
const [button, field] = [await part('Press me', 'button'), await part('Name', 'textbox')]
const handle = Number(field.platformIds.windowHandle)
const middle = ({ bounds: { x, y, w, h } }) => ({ x: Math.floor(x + w / 2), y: Math.floor(y + h / 2) })
const pressed = () =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('pressed')).length

async function until(what, holds) {
  for (const end = performance.now() + PATIENCE_MS; !holds(); await turn())
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
}
async function median(runs, work) {
  const times = []
  for (let i = -1; i < runs; i++) {
    const ms = await work()
    if (i >= 0) times.push(ms)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1]
}
/** Until the application has counted it. */
const clicking = (click) =>
  median(CLICKS, async () => {
    const [before, started] = [pressed(), performance.now()]
    await click()
    await until('a click', () => pressed() > before)
    return performance.now() - started
  })
/** Until the field holds it; right is what is in there then. */
async function typing(text, type, patience = PATIENCE_MS) {
  let right = 0
  const ms = await median(TEXTS, async () => {
    await driver.act.step(lease, { do: 'setText', key: field.key, text: '', mode: 'replace' }, {}, ctx())
    await driver.act.step(lease, { do: 'focus', key: field.key }, {}, ctx())
    const started = performance.now()
    await type(text)
    for (const end = performance.now() + patience; textIn(handle).length < text.length && performance.now() < end;) await turn()
    const took = performance.now() - started
    if (textIn(handle) === text) right++
    return took
  })
  return { ms, right, of: TEXTS + 1 }
}
const events = (at) => [
  { type: 'move', ...at },
  { type: 'down', button: 'left' },
  { type: 'up', button: 'left' },
]
const at = middle(button)
figures.click = { ours: await clicking(() => driver.act.step(lease, { do: 'pointer', events: events(at) }, {}, ctx())) }
figures.guarded = {
  ours: await clicking(() => driver.act.step(lease, { do: 'pointer', events: events(at) }, { hit: { at, key: button.key } }, ctx())),
}
const type = (text) => driver.act.step(lease, { do: 'text', text }, {}, ctx())
figures.ascii = { ours: await typing(ASCII, type) }
figures.unicode = { ours: await typing(UNICODE, type) }
figures.picture = {
  ours: await median(PICTURES, async () => {
    const started = performance.now()
    const { id } = await driver.observe.capture({}, ctx())
    await driver.observe.render(id, { hide: [], as: 'rgba' }, ctx())
    return performance.now() - started
  }),
}
figures.tree = {
  ours: await median(PICTURES, async () => {
    const started = performance.now()
    figures.elements = (await driver.observe.read({}, ctx())).nodes.length
    return performance.now() - started
  }),
}

try {
  const { mouse, keyboard, screen, Point, Button } = createRequire(`${folder}\\package.json`)('@nut-tree-fork/nut-js')
  mouse.config.autoDelayMs = 0
  keyboard.config.autoDelayMs = 0
  figures.click.theirs = await clicking(async () => {
    await mouse.setPosition(new Point(at.x, at.y))
    await mouse.click(Button.LEFT)
  })
  figures.ascii.theirs = await typing(ASCII, (text) => keyboard.type(text), 2000)
  figures.unicode.theirs = await typing(UNICODE, (text) => keyboard.type(text), 2000)
  figures.picture.theirs = await median(PICTURES, async () => {
    const started = performance.now()
    await screen.grab()
    return performance.now() - started
  })
} catch (error) {
  figures.peerGone = String(error?.message ?? error)
}
writeFileSync(file, JSON.stringify(figures))
process.exit(0)
