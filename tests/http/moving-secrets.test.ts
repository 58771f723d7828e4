import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { send } from '../support/http.ts'
import { fixture, PYTHON, start } from '../support/linux.ts'
import { RfbClient } from '../support/rfb.ts'

/** The field moves so long; the long tests watch for a minute. */
const SECONDS = Number(process.env['DESKHAND_MOVING_SECONDS'] ?? 7)

const CHROMIUM = ['--no-sandbox', '--disable-gpu', '--force-renderer-accessibility', '--no-first-run']

describeDesktop('a password field that moves', () => {
  let world: World
  let sandbox: Sandbox
  let url: string
  beforeEach(async () => {
    world = new World()
    sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes') })
    ;({ url } = (await world.server('--desktop', 'sandbox', '--sandbox', sandbox.record.id)).ready)
  })
  afterEach(async () => {
    await sandbox.down()
    await world.end()
  })

  const local = (id: 'agent' | 'operator'): string => world.token('sandbox', id)

  test.each([
    ['GTK 3', PYTHON, [fixture('moving_secret_gtk3.py'), String(SECONDS)]],
    ['Chromium', 'chromium', [...CHROMIUM, `file://${fixture('pages/moving-secret.html')}?seconds=${SECONDS + 5}`]],
  ])('shows no pixel of itself in any frame that a viewer decodes: %s', async (_, command, args) => {
    const viewer = await RfbClient.open(`${url.replace('http', 'ws')}/desktops/sandbox/vnc`, local('operator'))
    let [loud, frames, shown] = [0, 0, 0]
    viewer.onUpdate = () => {
      frames++
      loud += secretPixels(viewer.pixels)
      if (viewer.pixels.some((byte) => byte > 200)) shown++
    }
    start(sandbox, command, [...args])
    const find = () =>
      send('POST', `${url}/api/v1/desktops/sandbox/tools/ui.query`, {
        headers: { authorization: `Bearer ${local('agent')}`, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ args: { selector: 'name="Password"' } })),
      })
    await expect.poll(async () => (await find()).json.data?.matches?.length ?? 0, { timeout: 30_000 }).toBeGreaterThan(0)
    const before = frames
    await sleep(SECONDS * 1000)
    // What moves is hidden whole; once it rests, all but the field is to be seen.
    await expect.poll(() => shown, { timeout: 30_000 }).toBeGreaterThan(0)
    expect(frames).toBeGreaterThan(before)
    expect(loud).toBe(0)
    viewer.socket.close()
  })
})

/** Pixels of the loud colour, or a blend of it with what lies beside it. */
function secretPixels(rgb: Buffer): number {
  let found = 0
  for (let i = 0; i < rgb.length; i += 3) if ((rgb[i] ?? 0) > 200 && (rgb[i + 1] ?? 0) < 60 && (rgb[i + 2] ?? 0) > 200) found++
  return found
}
