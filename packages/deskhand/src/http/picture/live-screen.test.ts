import { duplexPair } from 'node:stream'
import { Link } from '@deskhand/core/driver/wire'
import { expect, onTestFinished, test } from 'vitest'
import { FRONT } from '../../broker/protocol.ts'
import { LiveScreen, type Viewer } from './live-screen.ts'

const screen = { x: 0, y: 0, w: 2, h: 1 }
const update = { parts: [{ rect: screen, screen, bytes: new Uint8Array(8), at: 0, masked: [] }] }
const viewer = (): Viewer => ({ isReady: true, thrift: { everyMs: 20, detailBits: 8, why: '' }, changed() {}, resized() {}, ended() {} })

/** A screen, and the broker's end of its stream; `asked` are the calls that the broker was sent. */
function served(onWatch: () => Promise<void> = async () => {}) {
  const [here, there] = duplexPair()
  const live = new LiveScreen(here)
  const broker = new Link(there, FRONT)
  const asked: string[] = []
  broker.handle('watch', async () => {
    asked.push('watch')
    await onWatch()
    return null
  })
  broker.handle('rest', () => {
    asked.push('rest')
    return null
  })
  onTestFinished(async () => void (await Promise.all([live.close(), broker.close()])))
  return { live, broker, asked }
}

test('a viewer that leaves while the picture begins is told so, and the next one gets its picture', async () => {
  let begun = (): void => {}
  const { live, broker, asked } = served(() => new Promise((done) => (begun = done)))
  const [early, late] = [viewer(), viewer()]
  const joined = live.join(early).then(
    () => 'joined',
    (thrown: { code?: string }) => thrown.code,
  )
  await expect.poll(() => asked).toEqual(['watch'])
  live.leave(early)
  begun()
  expect(await joined).toBe('CANCELLED')
  const again = live.join(late)
  await expect.poll(() => asked).toEqual(['watch', 'rest', 'watch'])
  begun()
  await broker.call('update', update)
  await again
  expect(live.status).toMatchObject({ viewers: 1, width: 2, height: 1 })
})

test('viewers that come at once wait for the same first picture, and a refusal reaches all of them', async () => {
  const { live, asked } = served(() => Promise.reject(new Error('no driver')))
  const joins = await Promise.allSettled([live.join(viewer()), live.join(viewer())])
  expect(joins.map((j) => j.status)).toEqual(['rejected', 'rejected'])
  await expect.poll(() => asked).toEqual(['watch', 'rest'])
  expect(live.status.viewers).toBe(0)
})

test('what one viewer was sent others are sent too, and however many areas a client asks for, few of them are kept', async () => {
  const { live, broker } = served()
  const large = { x: 0, y: 0, w: 20, h: 10 }
  const joined = live.join(viewer())
  await broker.call('update', { parts: [{ rect: large, screen: large, bytes: new Uint8Array(800), at: 0, masked: [] }] })
  await joined
  const first = live.encoded({ ...large, w: 1 }, 8)
  expect(live.encoded({ ...large, w: 1 }, 8)).toBe(first)
  for (let w = 2; w <= 20; w++) await live.encoded({ ...large, w }, 8)
  expect(live.encoded({ ...large, w: 1 }, 8)).not.toBe(first)
  expect(await live.encoded({ ...large, w: 1 }, 8)).toEqual(await first)
})
