import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ExternalPlace, openJournal, type ReadableJournal, verifyJournal, type Verification } from '@deskhand/core/journal'
import type { EntryBody } from '@deskhand/core/model'
import { call, decided, Place } from './kit.ts'

let place: Place
let server: Server | undefined
beforeEach(() => {
  place = new Place()
})
afterEach(() => {
  server?.close()
  place.remove()
})

const SCRIPT = 'if [ "$1" = put ]; then cat > "$0"; else cat "$0" 2>/dev/null; fi; exit 0'

/** Each kind of place, empty at first. */
const places: [string, () => Promise<ExternalPlace>][] = [
  ['a file elsewhere', async () => ({ file: join(place.root, 'elsewhere') })],
  ['a command', async () => ({ command: ['sh', '-c', SCRIPT, join(place.root, 'by-command')] })],
  [
    'a server',
    async () => {
      let kept: string | undefined
      server = createServer((request, response) => {
        if (request.method === 'GET') return void response.writeHead(kept === undefined ? 404 : 200).end(kept)
        let body = ''
        request
          .on('data', (text) => (body += String(text)))
          .on('end', () => {
            kept = body
            response.end()
          })
      }).listen(0, '127.0.0.1')
      await new Promise((done) => server?.once('listening', done))
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/head` }
    },
  ],
]

describe.each(places)('%s as an external anchor', (_, make) => {
  let external: ExternalPlace
  beforeEach(async () => {
    external = await make()
  })
  const open = (): Promise<ReadableJournal> => place.open({ external })
  const verify = (): Promise<Verification> => verifyJournal({ dir: place.dir, desktop: place.desktop, anchorDir: place.keyDir, external })
  const record = async (): Promise<void> => {
    const journal = await open()
    await call(journal, 'op')
    await journal.close()
  }

  test('agrees with an untouched journal, and says how far', async () => {
    await record()
    await record()
    const found = await verify()
    expect(found).toMatchObject({ ok: true, externalTo: found.entries })
  })

  test('shows that journal, key and anchor were rolled back together, and no new entry covers it up', async () => {
    await record()
    const backup = join(place.root, 'backup')
    for (const part of [place.dir, place.keyDir]) cpSync(part, join(backup, part === place.dir ? 'journal' : 'keys'), { recursive: true })
    await record()
    for (const part of [place.dir, place.keyDir]) {
      rmSync(part, { recursive: true })
      cpSync(join(backup, part === place.dir ? 'journal' : 'keys'), part, { recursive: true })
    }
    // Folder and anchor agree with each other.
    expect(await place.verify()).toMatchObject({ ok: true })
    expect(await verify()).toMatchObject({ ok: false, problems: [{ kind: 'cut' }] })
    await expect(open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('rolled back') })
    // Without it a writer would have gone on as if nothing had happened; then the entry that was anchored is another one.
    await place.record(5)
    expect(await verify()).toMatchObject({ ok: false, problems: [{ kind: 'rewritten' }] })
    await expect(open()).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('exchanged') })
  })
})

test('a forged line in the external anchor is refused, not believed', async () => {
  const external = { file: join(place.root, 'elsewhere') }
  const journal = await place.open({ external })
  await journal.close()
  const line = JSON.parse(readFileSync(external.file, 'utf8').trim().split('\n').at(-1)!) as Record<string, unknown>
  writeFileSync(external.file, `${JSON.stringify({ ...line, seq: 1 })}\n`)
  await expect(place.open({ external })).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('not signed') })
})

test('a place that does not take the head does not keep the desktop from its record', async () => {
  const journal = await place.open({ external: { command: ['false'] } }).catch((error: unknown) => error)
  // Reading it is asked for at the start, as a rollback would otherwise pass.
  expect(journal).toMatchObject({ code: 'JOURNAL_BROKEN' })
  const half = await place.open({ external: { command: ['sh', '-c', '[ "$1" = get ]', 'x'] } })
  expect(await half.append(decided('op'))).toBeGreaterThan(0)
  await half.close()
  expect(await place.verify()).toMatchObject({ ok: true })
})

test.each<EntryBody>([
  { type: 'rejected', tool: 'auth', principal: { id: 'a', role: 'agent' }, code: 'UNAUTHORIZED', message: 'no' },
  { type: 'answered', op: 'op', approval: 'a1', allow: false, scope: 'once', digest: 'd' },
  { type: 'human', from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:01.000Z', pointerEvents: 3, keyEvents: 0, touched: [] },
])('a cut that hides what is $type is seen', async (body) => {
  const journal = await openJournal({ dir: place.dir, desktop: place.desktop, keyDir: place.keyDir, durability: 'real' })
  await journal.append(body)
  place.edit((all) => all.slice(0, -1))
  expect(await place.verify()).toMatchObject({ ok: false, problems: [{ kind: 'cut' }] })
  await journal.close().catch(() => {})
})

test('a refusal and an answer are anchored before they are acknowledged, so that a cut which hides one is seen', async () => {
  const journal = await openJournal({ dir: place.dir, desktop: place.desktop, keyDir: place.keyDir, durability: 'real' })
  const deny = decided('op')
  await journal.append({ ...deny, decision: { verdict: 'deny', reason: 'no', obligations: {} } } as typeof deny)
  // The writer is killed here: nothing is closed, and the last entry is cut off.
  const lines = place.lines()
  expect(await place.verify()).toMatchObject({ ok: true, anchoredTo: lines.length })
  place.edit((all) => all.slice(0, -1))
  expect(await place.verify()).toMatchObject({ ok: false, problems: [{ kind: 'cut' }] })
  await journal.close().catch(() => {})
  expect(existsSync(place.dir)).toBe(true)
})
