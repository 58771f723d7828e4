import { afterEach, beforeEach, expect, test } from 'vitest'
import { World } from '../support/cli.ts'
import { send } from '../support/http.ts'

let world: World
beforeEach(() => void (world = new World()))
afterEach(() => world.end())

const REFUSED = ' info refused GET /api/v1/desktops: '
const ANSWERED = ' debug GET /healthz 200 '

test.each([
  ['error', []],
  ['info', [REFUSED]],
  ['debug', [REFUSED, ANSWERED]],
])('at the level %s standard error has what belongs to it, and no token', async (level, told) => {
  const child = world.start('up', '--port', '0', '--json', '--log', level)
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
  await expect.poll(() => out, { timeout: 60_000 }).toContain('\n')
  const { url } = JSON.parse(out) as { url: string }
  const token = 'x'.repeat(43)
  await send('GET', `${url}/api/v1/desktops`, { headers: { authorization: `Bearer ${token}` } })
  await send('GET', `${url}/healthz?token=${token}`)
  await send('GET', `${url}/healthz`, { headers: { origin: 'http://\u009b2J' } })
  const ended = new Promise((done) => child.once('close', done))
  child.kill('SIGTERM')
  await ended
  expect([REFUSED, ANSWERED].filter((line) => err.includes(line))).toEqual(told)
  expect(err).not.toContain(token)
  // A terminal would take it for a command.
  expect(err).not.toMatch(/\u009b/)
  expect(err.includes('pages of http://?2J have no business here')).toBe(level !== 'error')
})
