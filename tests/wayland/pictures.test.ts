import type { Rect } from '@deskhand/core/model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeWayland } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'
import { LiveViewer, screenshot } from '../support/live-viewer.ts'
import { toldRed } from '../support/red-area.ts'

const SIZE = { width: 1000, height: 700 }
const POLICY = `
[[rule]]
toolName = "*"
decision = "deny"
priority = 900
[rule.when]
window = "Private*"
`
const soon = { timeout: 30_000, interval: 300 }
const [BLACK, RED, GREEN] = [0xff000000, 0xff0000ff, 0xff00ff00]

describeWayland('the live picture under Wayland', { timeout: 120_000 }, () => {
  let desk: RealDesk
  beforeEach(async () => {
    desk = await realDesk({ display: 'wayland', size: SIZE, policy: POLICY })
  }, 60_000)
  afterEach(() => desk?.close(), 60_000)

  const inside = (pixels: Uint32Array, { x, y, w, h }: Rect): Set<number> =>
    new Set(Array.from({ length: h }, (_, row) => [...pixels.subarray((y + row) * SIZE.width + x, (y + row) * SIZE.width + x + w)]).flat())

  test('is what another program sees, follows what is drawn, and shows nothing of a password or of a window that is denied', async () => {
    const viewer = new LiveViewer(desk, SIZE)
    await desk.show('Secret', 'zenity', ['--password', '--title', 'Secret'])
    desk.ask('wtype', 'hunter22')
    const field = async (): Promise<Rect> =>
      ((await desk.call('ui.query', { selector: 'password=true' })).data as { matches: { bounds: Rect }[] }).matches[0]!.bounds
    await expect.poll(async () => inside(viewer.pixels, await field()), soon).toEqual(new Set([BLACK]))
    await expect.poll(async () => inside(await screenshot(desk, SIZE), await field()).size, soon).toBeGreaterThan(1)
    await expect.poll(() => viewer.difference(desk), soon).toBe(0)
    expect((await desk.call('ui.click', { target: 'role=button && name="Cancel"' })).error).toBeUndefined()
    await expect.poll(() => viewer.masked.length, soon).toBe(0)

    await desk.show('Red', PYTHON, [fixture('red.py'), 'gtk4'])
    // sway draws the pointer into its pictures, which stays in the left half.
    const half = async (): Promise<Rect> => {
      const red = await toldRed(desk.call)
      return { x: Math.ceil(red.x) + 100, y: Math.ceil(red.y), w: 99, h: 119 }
    }
    await expect.poll(async () => inside(viewer.pixels, await half()), soon).toEqual(new Set([RED]))
    const { x, y } = await half()
    expect((await desk.call('gui_click', { x: x - 80, y: y + 20 })).error).toBeUndefined()
    await expect.poll(async () => inside(viewer.pixels, await half()), soon).toEqual(new Set([GREEN]))

    await desk.show('Private', 'zenity', ['--info', '--title', 'Private', '--text', 'not for agents'])
    await expect.poll(() => inside(viewer.pixels, placeOf(desk, 'Private')), soon).toEqual(new Set([BLACK]))
    await expect.poll(async () => inside(await screenshot(desk, SIZE), placeOf(desk, 'Private')).size, soon).toBeGreaterThan(1)
    await viewer.end()
  })
})

/** Where the contents of a window are now, as sway tells. */
function placeOf(desk: RealDesk, title: string): Rect {
  interface Node {
    name: string | null
    pid?: number
    rect: { x: number; y: number; width: number; height: number }
    nodes: Node[]
    floating_nodes: Node[]
  }
  const find = (node: Node): Node | undefined =>
    node.name === title && node.pid !== undefined
      ? node
      : [...node.nodes, ...node.floating_nodes].map(find).find((found) => found !== undefined)
  const tree = JSON.parse(desk.ask('swaymsg', '-s', desk.sandbox.env['DESKHAND_SWAYSOCK'] ?? '', '-t', 'get_tree', '--raw')) as Node
  const { x, y, width, height } = (find(tree) ?? expect.fail(`no window ${title}`)).rect
  return { x, y, w: width, h: height }
}
