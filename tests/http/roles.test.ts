import { afterAll, beforeAll, expect, test } from 'vitest'
import { METHODS, type MethodName } from '@deskhand/core/model'
import { openApi } from '../../packages/deskhand/src/http/openapi.ts'
import { ROUTES, WITHOUT_ROUTE } from '../../packages/deskhand/src/http/routes.ts'
import { httpWorld, type HttpWorld } from '../support/http.ts'

let world: HttpWorld
beforeAll(async () => void (world = await httpWorld()))
afterAll(() => world.close())

const ROLES = ['agent', 'viewer', 'operator'] as const
/** What ends the desktop of this test is not asked for by those who may. */
const ENDING: readonly MethodName[] = ['shutdown']

test('every method of the table has an address, or a reason why it has none', () => {
  const routed = new Set(ROUTES.map((r) => r.method))
  const named = Object.keys(METHODS) as MethodName[]
  expect(named.filter((name) => !routed.has(name) && WITHOUT_ROUTE[name] === undefined)).toEqual([])
  expect(named.filter((name) => routed.has(name) && WITHOUT_ROUTE[name] !== undefined)).toEqual([])
})

test.each(ROUTES.flatMap((route) => ROLES.map((role) => ({ ...route, role }))))(
  '$verb $path is for those whom the table names, and $role is treated so',
  async ({ verb, path, method, role }) => {
    const allowed = (METHODS[method].roles as readonly string[]).includes(role)
    if (allowed && ENDING.includes(method)) return
    const { status, json } = await world.ask(verb, `/desktops/virtual${path.replaceAll(/\{\w+\}/g, 'ui.nothing')}`, {
      as: role,
      body: verb === 'POST' ? {} : undefined,
    })
    if (allowed) expect(json?.code).not.toBe('UNAUTHORIZED')
    else expect({ status, code: json.code }).toEqual({ status: 403, code: 'UNAUTHORIZED' })
  },
)

test('the document has every address, with roles, parameters and answers from the table', async () => {
  const { json } = await world.ask('GET', '/openapi.json')
  for (const { verb, path, method } of ROUTES) {
    const described = json.paths[`/api/v1/desktops/{desktop}${path}`]?.[verb.toLowerCase()]
    expect(described).toMatchObject({ 'x-roles': METHODS[method].roles, responses: { 200: expect.anything() } })
  }
  expect(json).toEqual(JSON.parse(JSON.stringify(openApi())))
  expect(
    json.paths['/api/v1/desktops/{desktop}/tools/ui.click'].post.requestBody.content['application/json'].schema.properties.args,
  ).toMatchObject({
    properties: { target: expect.anything() },
  })
})

test('every address of the document is there', async () => {
  const { json } = await world.ask('GET', '/openapi.json')
  const addresses = Object.entries(json.paths as Record<string, object>).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => [verb.toUpperCase(), path.replace('{desktop}', 'virtual').replaceAll(/\{\w+\}/g, 'x')] as const),
  )
  expect(addresses.length).toBeGreaterThan(60)
  for (const [verb, path] of addresses) {
    // The feed does not end, and the end of the desktop would end this test.
    if (path.endsWith('/events') || (verb === 'DELETE' && path.endsWith('/virtual'))) continue
    const { json: answer } = await world.ask(verb, `/${path}`, { as: 'operator', body: verb === 'POST' ? {} : undefined })
    expect(answer?.detail ?? '').not.toMatch(/^there is nothing at|takes/)
  }
})
