import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Analyst, decodePng, Vision } from '@deskhand/vision'
import { desk, element, placeIn, window } from '../support/desk.ts'

const ui = {
  windows: [
    window('Login', [
      element('button', 'Sign in'),
      element('password_field', 'Password', { value: 'hunter2' }),
      element('label', 'Welcome back'),
    ]),
  ],
}

let server: Server | undefined
afterEach(() => server?.close())

interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

/** A double of a provider on loopback: answers with these, one after the other, and keeps what it got. */
async function provider(...answers: { status: number; body: unknown }[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Record<string, unknown> })
      const { status, body } = answers[Math.min(received.length, answers.length) - 1]!
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((ready) => server!.listen(0, '127.0.0.1', ready))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const model = (name: 'openai' | 'anthropic', baseUrl: string) => ({
  provider: name,
  model: 'm',
  baseUrl,
  keyEnv: 'PATH',
  timeoutSeconds: 30,
})

test('without a model the answer comes from the elements, beside the screenshot', async () => {
  const d = await desk({ ui })
  const { data } = await d.call('gui_analyze_screen', { prompt: 'Where is the Sign in button?' })
  expect(data).toMatchObject({
    success: true,
    analysis: expect.stringMatching(/button "Sign in".*window "Login".*at \(/),
    screenshot: expect.any(String),
  })
  expect((await d.call('gui_analyze_screen')).data).toMatchObject({ analysis: expect.stringContaining('"Login"') })
})

test('a screenshot that the policy denies is null with the reason, and the elements still answer', async () => {
  const policy = '[[rule]]\ntoolName = "ui.capture"\ndecision = "deny"\npriority = 900\ndenyMessage = "no pictures"\n'
  const d = await desk({ ui, policy })
  expect((await d.call('gui_analyze_screen', { prompt: 'Which windows are open?' })).data).toMatchObject({
    success: true,
    screenshot: null,
    screenshot_reason: expect.stringContaining('no pictures'),
    analysis: expect.stringContaining('"Login"'),
  })
})

test.each(['openai', 'anthropic'] as const)('a model of %s gets the question and the masked picture, and nothing else', async (name) => {
  const good =
    name === 'openai' ? { choices: [{ message: { content: 'A login form.' } }] } : { content: [{ type: 'text', text: 'A login form.' }] }
  const { url, received } = await provider({ status: 200, body: good })
  const vision = new Vision({ images: [], model: model(name, url) })
  const d = await desk({ ui, vision })
  expect((await d.call('gui_analyze_screen', { prompt: 'What is this?' })).data).toMatchObject({ success: true, analysis: 'A login form.' })
  const [{ path, headers, body } = { path: '', headers: {}, body: {} }] = received
  expect(path).toBe(name === 'openai' ? '/chat/completions' : '/v1/messages')
  expect(headers[name === 'openai' ? 'authorization' : 'x-api-key']).toContain(process.env['PATH'])
  const sent = JSON.stringify(body)
  expect(sent).toContain('What is this?')
  const png = /(?:base64,|"data":")([A-Za-z0-9+/=]{100,})/.exec(sent)?.[1] ?? ''
  const picture = decodePng(Buffer.from(png, 'base64'))
  const field = placeIn(await d.call('ui.query', { selector: 'name="Password"' }))
  const at = (Math.round(field.y + field.h / 2) * picture.width + Math.round(field.x + field.w / 2)) * 4
  expect([...picture.data.subarray(at, at + 3)]).toEqual([0, 0, 0])
  // Nothing else is black: what is hidden is hidden by its place.
  const black = picture.data.reduce(
    (count, _, i) => count + (i % 4 === 0 && picture.data[i]! + picture.data[i + 1]! + picture.data[i + 2]! === 0 ? 1 : 0),
    0,
  )
  expect(black).toBeLessThan(field.w * field.h * 3)
  await vision.close()
})

test('a model that fails is asked again, one that refuses is not, and no error holds the key', async () => {
  const busy = await provider({ status: 500, body: {} }, { status: 200, body: { choices: [{ message: { content: 'Fine.' } }] } })
  const analyst = new Analyst()
  expect(await analyst.ask(model('openai', busy.url), 'x', new Uint8Array(10))).toBe('Fine.')
  expect(busy.received).toHaveLength(2)
  server?.close()
  const closed = await provider({ status: 401, body: {} })
  const refused = await analyst.ask(model('openai', closed.url), 'x', new Uint8Array(10)).catch((thrown: unknown) => thrown)
  expect(refused).toMatchObject({ code: 'NOT_CAPABLE', message: expect.stringContaining('HTTP 401') })
  expect(JSON.stringify(refused)).not.toContain(process.env['PATH'])
  expect(closed.received).toHaveLength(1)
  await expect(
    analyst.ask({ ...model('openai', closed.url), keyEnv: 'DESKHAND_NO_SUCH_KEY' }, 'x', new Uint8Array(10)),
  ).rejects.toMatchObject({ code: 'NOT_CAPABLE', message: expect.stringContaining('DESKHAND_NO_SUCH_KEY') })
})
