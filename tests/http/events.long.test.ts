import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { World, type Up } from '../support/cli.ts'
import { send } from '../support/http.ts'

const EVENTS = 10_000
const BREAKS = 50

let world: World
let up: Up
beforeAll(async () => {
  world = new World()
  up = await world.server()
})
afterAll(() => world.end())

const headers = () => ({ authorization: `Bearer ${world.token('server', 'operator')}` })
const address = (path: string): string => `${up.ready.url}/api/v1/desktops/virtual${path}`
const numberOf = (id: string): number => Number(id.split('-')[1])

test(`${EVENTS} events reach a reader that breaks off ${BREAKS} times, in order, none lost and none twice`, async () => {
  const { event: begin } = (await send('GET', address(''), { headers: headers() })).json as { event: string }
  let isOver = false
  const happening = (async () => {
    for (let i = 0; !isOver; i++) {
      const { status, text } = await send('POST', address(i % 2 === 0 ? '/pause' : '/resume'), { headers: headers() })
      if (status !== 200) throw new Error(`${status}: ${text}`)
      // A quick machine would meet the limit of requests per second, and so would its readers.
      await sleep(2)
    }
  })()
  const failed = happening.then(() => new Promise<never>(() => {}))
  const heard: string[] = []
  for (let i = 0; i < BREAKS; i++)
    heard.push(...(await Promise.race([failed, (i % 2 === 0 ? overSse : overSocket)(heard.at(-1) ?? begin, EVENTS / BREAKS)])))
  isOver = true
  await happening
  expect(heard.map(numberOf)).toEqual(Array.from({ length: EVENTS }, (_, i) => numberOf(begin) + 1 + i))
})

/** Reads so many events behind one of them, and breaks off in the middle of whatever else is on its way. */
function overSse(after: string, count: number): Promise<string[]> {
  return new Promise((done, fail) => {
    const req = request(address('/events'), { headers: { ...headers(), 'last-event-id': after } }, (res) => {
      if (res.statusCode !== 200) return fail(new Error(`the feed answered ${res.statusCode}`))
      let text = ''
      res.on('error', () => {})
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
        const ids = [...text.slice(0, text.lastIndexOf('\n\n') + 1).matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id)
        if (ids.length < count) return
        req.destroy()
        done(ids.slice(0, count))
      })
    })
    req.on('error', fail)
    req.end()
  })
}

function overSocket(after: string, count: number): Promise<string[]> {
  return new Promise((done, fail) => {
    const socket = new WebSocket(`${address('/events').replace('http', 'ws')}?after=${after}`, { headers: headers() })
    const ids: string[] = []
    socket.on('error', fail)
    socket.on('message', (data: Buffer) => {
      if (ids.length === count) return
      ids.push((JSON.parse(data.toString('utf8')) as { id: string }).id)
      if (ids.length < count) return
      socket.terminate()
      done(ids)
    })
  })
}
