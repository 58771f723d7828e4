import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { conformanceServer } from '../support/conformance/tools.ts'
import { httpWorld } from '../support/http.ts'
import { npmFolder } from '../support/npm-folder.ts'

const SUITE = { '@modelcontextprotocol/conformance': '0.1.16' }
const support = (name: string): string => new URL(`../support/conformance/${name}`, import.meta.url).pathname

test('the official suite finds no fault in MCP over HTTP but what is declared absent', async () => {
  const world = await httpWorld([{}], { makeMcp: conformanceServer })
  onTestFinished(world.close)
  const { code, told } = await suite(await signedIn(world.url, world.token('agent')), [
    '--suite',
    'all',
    '--expected-failures',
    support('expected-failures.yml'),
  ])
  const summary = told.slice(told.indexOf('=== SUMMARY'))
  expect({ code, summary }).toEqual({ code: 0, summary: expect.stringMatching(/✓ tools-call-with-progress/) })
})

test.each(['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'])(
  'the tools that agents are offered pass the scenario %s of it',
  async (scenario) => {
    const world = await httpWorld()
    onTestFinished(world.close)
    const { code, told } = await suite(await signedIn(world.url, world.token('agent')), ['--scenario', scenario])
    expect({ code, told }).toEqual({ code: 0, told: expect.stringMatching(/0 failed/) })
  },
)

/** Runs the suite against an address; its exit code is 0 when every scenario passed or was expected to fail. */
async function suite(url: string, args: string[]): Promise<{ code: number | null; told: string }> {
  const folder = npmFolder('deskhand-conformance', SUITE)
  const out = mkdtempSync(join(tmpdir(), 'dh-conformance-'))
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const child = spawn(process.execPath, ['--import', support('node20.mjs'), program, 'server', '--url', url, '-o', out, ...args])
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (told += text))
  const code = await new Promise<number | null>((done) => child.once('close', done))
  rmSync(out, { recursive: true, force: true })
  return { code, told }
}

/** The suite knows no tokens: an address in front of the server's that adds one, and says everything else as it was said. */
async function signedIn(url: string, token: string): Promise<string> {
  const { host } = new URL(url)
  const front: Server = createServer((req, res) => {
    const own = `127.0.0.1:${(front.address() as AddressInfo).port}`
    const said = (value: string): string => value.replace(own, host).replace(own.replace('127.0.0.1', 'localhost'), host)
    const headers = { ...req.headers, host: said(req.headers.host ?? ''), authorization: `Bearer ${token}` }
    if (req.headers.origin !== undefined) headers.origin = said(req.headers.origin)
    const asked = request(url + req.url, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    asked.on('error', () => res.destroy())
    res.once('close', () => asked.destroy())
    req.pipe(asked)
  })
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    front.closeAllConnections()
    front.close()
  })
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`
}
