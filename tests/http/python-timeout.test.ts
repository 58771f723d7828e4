import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const AT = '/desktops/virtual'
const set = (timeout: unknown, as: 'agent' | 'operator' = 'operator') =>
  world.ask('POST', `${AT}/settings/python`, { as, body: { timeout } })
const inForce = async () => (await world.ask('GET', `${AT}/settings`, { as: 'operator' })).json.python.timeout
const run = (code: string) => world.ask('POST', `${AT}/tools/python.run`, { as: 'agent', body: { args: { code } } })
const changes = async () => {
  const { json } = await world.ask('GET', `${AT}/journal?types=operator`, { as: 'operator' })
  return (json as { what: string; by: object; detail: object }[]).filter(({ what }) => what === 'python')
}

test('an operator says how long Python may take, and the next script is ended by it', async () => {
  const asked = 'import time\ntime.sleep(3)\nprint("woke")'
  expect((await run(asked)).json).toMatchObject({ status: 'success', data: { stdout: 'woke\n' } })
  expect((await set(1.5)).status).toBe(200)
  expect(await inForce()).toBe(1.5)
  expect(await changes()).toMatchObject([{ by: { id: 'operator', role: 'operator' }, detail: { timeout: 1.5 } }])
  const ended = await run(asked)
  expect(ended.status).toBe(504)
  expect(ended.json).toMatchObject({ code: 'PYTHON_TIMEOUT', detail: expect.stringContaining('1.5 s') })
  expect((await set(20)).status).toBe(200)
  expect((await run(asked)).json).toMatchObject({ status: 'success', data: { stdout: 'woke\n' } })
}, 60_000)

test.each([0, 0.9, 3601, -5, '60', null])(
  '%j is no time that it takes: the answer names the field and its bounds, and nothing changes',
  async (timeout) => {
    const before = [await inForce(), await changes()]
    const { status, json } = await set(timeout)
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'BAD_ARGS', detail: expect.stringMatching(/timeout.*(1|3600|number)/) })
    expect([await inForce(), await changes()]).toEqual(before)
  },
)

test('an agent gives itself no more time', async () => {
  const before = await inForce()
  expect(await set(3600, 'agent')).toMatchObject({ status: 403, json: { code: 'UNAUTHORIZED' } })
  expect(await inForce()).toBe(before)
})
