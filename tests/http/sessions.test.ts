import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpWorld, type HttpWorld, type Reply } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

/** Opens the link as the page behind it does. */
async function open(link = world.server.openingLink()): Promise<Reply & { cookie: string }> {
  const reply = await world.ask('POST', '/session', { body: { code: new URL(link).hash.slice(1) } })
  return { ...reply, cookie: String(reply.headers['set-cookie'] ?? '').split(';')[0] ?? '' }
}

test('the opening link signs its first user in as operator, by a cookie that no script and no other site has', async () => {
  const link = world.server.openingLink()
  const first = await open(link)
  expect(first.json.who).toEqual({ id: 'operator', role: 'operator' })
  expect(String(first.headers['set-cookie'])).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
  expect(await open(link)).toMatchObject({ status: 401, json: { code: 'UNAUTHORIZED' } })
  const { status } = await world.ask('GET', '/desktops/virtual/approvals', { headers: { cookie: first.cookie } })
  expect(status).toBe(200)
})

test('the code of the link is in no part of it that a server sees', () => {
  expect(new URL(world.server.openingLink())).toMatchObject({ pathname: '/open.html', search: '' })
})

test('a cookie alone changes nothing; with the word that only the own page knows it does', async () => {
  const { cookie, json } = await open()
  const pause = (headers: Record<string, string>) => world.ask('POST', '/desktops/virtual/pause', { headers: { cookie, ...headers } })
  expect(await pause({})).toMatchObject({ status: 403 })
  expect(await pause({ 'x-deskhand-csrf': 'guessed' })).toMatchObject({ status: 403 })
  expect(await world.ask('GET', '/desktops/virtual', { as: 'operator' })).toMatchObject({ json: { paused: false } })
  expect(await pause({ 'x-deskhand-csrf': json.csrf })).toMatchObject({ status: 200 })
  expect(await world.ask('GET', '/desktops/virtual', { as: 'operator' })).toMatchObject({ json: { paused: true } })
  await world.ask('POST', '/desktops/virtual/resume', { as: 'operator' })
})

test('who signed out is out', async () => {
  const { cookie, json } = await open()
  expect(await world.ask('DELETE', '/session', { headers: { cookie, 'x-deskhand-csrf': json.csrf } })).toMatchObject({ status: 200 })
  expect(await world.ask('GET', '/session', { headers: { cookie } })).toMatchObject({ status: 401 })
})

test.each([
  ['evil.example', 421],
  ['127.0.0.1', 421],
  ['127.0.0.1:1', 421],
])('under the name %j nothing is answered', async (host, status) => {
  expect(await world.ask('GET', '/desktops/virtual', { as: 'operator', headers: { host } })).toMatchObject({ status })
})

test('pages of others get nothing, whatever they send', async () => {
  const { cookie, json } = await open()
  const headers = { cookie, 'x-deskhand-csrf': json.csrf, origin: 'https://evil.example' }
  expect(await world.ask('POST', '/desktops/virtual/stop', { headers })).toMatchObject({ status: 403 })
  expect(await world.ask('GET', '/desktops/virtual', { as: 'operator', headers: { origin: 'null' } })).toMatchObject({ status: 403 })
  const preflight = await world.ask('OPTIONS', '/desktops/virtual/stop', { headers: { origin: 'https://evil.example' } })
  expect(preflight.status).toBe(403)
  expect(preflight.headers).not.toHaveProperty('access-control-allow-origin')
})

test('every answer forbids foreign scripts, frames and guesses of its type', async () => {
  for (const path of ['//', '//healthz', '/desktops', '//nothing.js']) {
    const { headers } = await world.ask('GET', path)
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  }
})

test('a refused request is in the journal', async () => {
  await world.ask('GET', '/desktops/virtual/approvals', { headers: { authorization: `Bearer ${'x'.repeat(43)}` } })
  await expect
    .poll(async () => (await world.ask('GET', '/desktops/virtual/journal?types=rejected&newest=true', { as: 'operator' })).json)
    .toContainEqual(
      expect.objectContaining({
        tool: 'http GET /api/v1/desktops/virtual/approvals',
        code: 'UNAUTHORIZED',
        message: 'this token is not known here',
      }),
    )
})
