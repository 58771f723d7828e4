import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { use, World } from '../support/cli.ts'
import { element, window } from '../support/desk.ts'
import { Pane } from '../support/pane.ts'

const count = { attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }] } } }
const UI = {
  windows: [
    window('Shop', [
      element('label', 'n', { value: 0 }),
      element('button', 'Order', count),
      element('label', 'CANARYNAME', { element_id: 'name' }),
      element('text_field', 'Mail', { value: 'canary@example.org' }),
      element('password_field', 'Password', { value: 'CANARYPASS' }),
    ]),
  ],
}
const rule = (more: string): string =>
  `[[rule]]\ntoolName = "ui.click"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n${more}\n`

let world: World
let pane: Pane | undefined
beforeEach(() => {
  world = new World()
})
afterEach(async () => {
  pane?.end()
  pane = undefined
  await world.end()
})

function up(policy: string, waitSeconds = 20): Promise<{ journal: string }> {
  writeFileSync(join(world.dir, 'key'), randomBytes(32).toString('hex'), { mode: 0o600 })
  world.file('deskhand.toml', `[evidence]\nkeyFile = "key"\n[approvals]\nwaitSeconds = ${waitSeconds}\n`)
  return world.serve(UI, policy)
}

/** Every byte that Deskhand wrote. */
function* written(dir: string): Generator<[file: string, bytes: Buffer]> {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = join(dir, name)
    if (statSync(file).isFile()) yield [file, readFileSync(file)]
  }
}

test('encrypted evidence is opened by its key alone, and verify finds the byte that was changed in it', async () => {
  const { journal } = await up(rule('decision = "allow"\nobligations = { evidence = "encrypted", screenshot = true, redact = true }'))
  const client = await world.mcp()
  const { record } = await use(client, 'ui.click', { target: 'name="Order"' })
  const ids = ['before', 'after'].flatMap((when) => Object.values(record['evidence'][when] as Record<string, string>))
  expect(ids).toHaveLength(4)
  const outline = join(world.dir, 'outline.txt')
  expect(await world.run(['journal', 'evidence', record['evidence'].before.outline, outline])).toMatchObject({ code: 0 })
  expect(readFileSync(outline, 'utf8')).toContain('label "CANARYNAME"')
  expect(readFileSync(outline, 'utf8')).toContain('[email]')
  expect(statSync(outline).mode & 0o077).toBe(0)
  const picture = join(world.dir, 'picture.png')
  await world.run(['journal', 'evidence', record['evidence'].after.picture, picture])
  expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG')
  await world.run(['down'])
  for (const [file, bytes] of written(world.env['DESKHAND_STATE']!))
    expect([file, ['CANARYNAME', 'CANARYPASS', 'canary@'].filter((c) => bytes.includes(c))]).toEqual([file, []])
  expect(await world.run(['journal', 'verify'])).toMatchObject({ code: 0 })

  const blob = join(journal, 'evidence', ids[0]!.slice('enc:'.length))
  const bytes = readFileSync(blob)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(blob, bytes)
  const broken = await world.run(['journal', 'verify'])
  expect(broken.code).toBe(1)
  expect(broken.out).toContain('evidence_changed')
  expect((await world.run(['journal', 'evidence', ids[0]!, join(world.dir, 'again')])).err).toContain('JOURNAL_BROKEN')
})

test('the key of another does not open it, and without one nothing is done', async () => {
  await up(rule('decision = "allow"\nobligations = { evidence = "encrypted" }'))
  const client = await world.mcp()
  const { record } = await use(client, 'ui.click', { target: 'name="Order"' })
  writeFileSync(join(world.dir, 'key'), randomBytes(32).toString('hex'), { mode: 0o600 })
  expect(await world.run(['journal', 'evidence', record['evidence'].before.outline, join(world.dir, 'x')])).toMatchObject({ code: 2 })
  await world.run(['down'])
  writeFileSync(join(world.dir, 'deskhand.toml'), '')
  await world.up('--ui', join(world.dir, 'ui.json'), '--policy', join(world.dir, 'policy.toml'))
  expect((await use(client, 'ui.click', { target: 'name="Order"' })).record).toMatchObject({ sent: 'none', error: { code: 'BAD_CONFIG' } })
})

test('a person sees a picture of what is asked about, as a file that is theirs and gone afterwards', async () => {
  await up(rule('decision = "ask_user"'), 0.5)
  const client = await world.mcp()
  pane = new Pane(world, ['approvals', '--watch'], { TMPDIR: world.dir })
  const asked = await use(client, 'ui.click', { target: 'name="Order"' })
  expect(asked.record).toMatchObject({ error: { code: 'APPROVAL_PENDING' } })
  await pane.until('allow once')
  await sleep(700)
  pane.keys('Space')
  const screen = (await pane.until('file:///')).replaceAll(/\n\s+/g, '')
  const file = /file:\/\/(\/[^ ]+?\.png)/.exec(screen)?.[1] ?? ''
  expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG')
  expect(statSync(file).mode & 0o077).toBe(0)
  const [{ id, crop }] = JSON.parse((await world.run(['approvals', 'list', '--json'])).out) as [Approval]
  const saved = join(world.dir, 'saved.png')
  expect(await world.run(['approvals', 'picture', id, saved])).toMatchObject({ code: 0 })
  expect(readFileSync(saved).equals(readFileSync(file))).toBe(true)
  expect((await world.run(['approvals', 'picture', id, saved])).code).toBe(2)
  await world.run(['approvals', 'allow', id])
  expect((await use(client, 'op.wait', { op: asked.record['op'] })).record).toMatchObject({ evidence: { cropHash: crop } })
  await pane.until('Nothing waits')
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['is asked to end', (p: Pane) => void process.kill(p.pid(), 'SIGTERM')],
  ['is hung up', (p: Pane) => void process.kill(p.pid(), 'SIGHUP')],
  ['loses its terminal', (p: Pane) => p.end()],
  ['is quit', (p: Pane) => p.keys('q')],
])('no picture is left behind when the watch %s', async (_, end) => {
  await up(rule('decision = "ask_user"'), 0.5)
  const client = await world.mcp()
  const own = join(world.dir, 'own')
  mkdirSync(own)
  pane = new Pane(world, ['approvals', '--watch'], { TMPDIR: own })
  await use(client, 'ui.click', { target: 'name="Order"' })
  await pane.until('file:///')
  expect([...written(own)]).toHaveLength(1)
  const pid = pane.pid()
  // Keys count from here on.
  await sleep(700)
  end(pane)
  for (let i = 0; i < 200 && existsSync(`/proc/${pid}`); i++) await sleep(50)
  expect(existsSync(`/proc/${pid}`)).toBe(false)
  expect(readdirSync(own)).toEqual([])
})
