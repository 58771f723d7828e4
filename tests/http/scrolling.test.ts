import { afterEach, expect, test } from 'vitest'
import { DrawnPicture } from '../support/drawn-picture.ts'
import { RfbClient } from '../support/rfb.ts'

const [COPY, TIGHT, SIZE] = [1, 7, -223]
const PAGE = { x: 20, y: 30, w: 200, h: 140 }
/** More than a palette has, so that fewer colours may be sent. */
const noise = (at: number): number => Math.imul(at + 1, 2_654_435_761) & 0xffffff

let picture: DrawnPicture
let clients: RfbClient[] = []
afterEach(async () => {
  for (const client of clients) client.socket.terminate()
  clients = []
  await picture.close()
})

async function join(encodings: number[], ask = true): Promise<RfbClient> {
  const client = await RfbClient.open(picture.url, '', { encodings, ask })
  clients.push(client)
  return client
}
async function hasAll(client: RfbClient): Promise<void> {
  await expect.poll(() => client.pixels.equals(picture.rgb), { timeout: 20_000 }).toBe(true)
}

async function taken(): Promise<void> {
  await expect.poll(() => picture.isTaken, { timeout: 20_000 }).toBe(true)
}

test('of a page that scrolls a client that copies is sent only what came into sight, and has every pixel', async () => {
  picture = await DrawnPicture.open()
  picture.fill(PAGE, noise)
  const [copying, other] = [await join([COPY, TIGHT, SIZE]), await join([TIGHT, SIZE])]
  await Promise.all(clients.map(hasAll))
  const before = clients.map((c) => c.bytes)
  let copies = 0
  copying.onUpdate = () => void (copies += copying.rects.filter((r) => r.encoding === COPY).length)
  for (let step = 1; step <= 6; step++) {
    await taken()
    picture.scroll(PAGE, 12, (at) => noise(at + step * 7_919))
    await picture.draw()
    await Promise.all(clients.map(hasAll))
  }
  expect(copies).toBe(6)
  expect(other.rects.some((r) => r.encoding === COPY)).toBe(false)
  const [copied = 0, whole = 0] = clients.map((c, i) => c.bytes - (before[i] ?? 0))
  expect(copied * 4).toBeLessThan(whole)
})

test.each([0, 90])(
  'rows with other black in them are not copied, and a client that was behind has the picture: pressure %i',
  async (pressure) => {
    picture = await DrawnPicture.open(pressure)
    const secret = { x: 40, y: 90, w: 60, h: 16 }
    picture.fill(PAGE, noise)
    picture.fill(secret, () => 0)
    const quick = await join([COPY, TIGHT, SIZE])
    const late = await join([COPY, TIGHT, SIZE], false)
    await hasAll(quick)
    let [copies, across] = [0, 0]
    quick.onUpdate = () => {
      const moved = quick.rects.filter((r) => r.encoding === COPY)
      copies += moved.length
      across += moved.filter(({ y, h }) => y < secret.y + secret.h && y + h > secret.y).length
    }
    for (let step = 1; step <= 8; step++) {
      // The page goes up, and what is hidden in it is another part of it each time.
      picture.scroll(PAGE, 9, (at) => noise(at + step * 7_919))
      picture.fill({ ...secret, x: 40 + step * 10 }, () => 0)
      await picture.draw()
    }
    await hasAll(quick)
    expect(copies).toBeGreaterThan(0)
    expect(across).toBe(0)
    void late.follow()
    await hasAll(late)
  },
)

test('a client that asks seldom has the whole picture each time, whatever moved between two of its questions', async () => {
  picture = await DrawnPicture.open()
  picture.fill(PAGE, noise)
  const [quick, seldom] = [await join([COPY, TIGHT, SIZE]), await join([COPY, TIGHT, SIZE])]
  await Promise.all(clients.map(hasAll))
  for (let round = 1; round <= 4; round++) {
    const resume = seldom.pause()
    for (let step = 1; step <= round; step++) {
      picture.scroll({ ...PAGE, h: 100 + 10 * step }, 8 + step, (at) => noise(at + step * 31 + round))
      await picture.draw()
      await hasAll(quick)
    }
    resume()
    await hasAll(seldom)
  }
})
