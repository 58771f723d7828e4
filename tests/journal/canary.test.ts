import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEvidence } from '@deskhand/core/journal'
import { createRedactor, loadCommitmentKey } from '@deskhand/core/redaction'
import type { EntryBody } from '@deskhand/core/model'
import { decided, Place } from './kit.ts'

const canary = 'CANARY "tweet"/42 für alle'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const inBasic = Buffer.from(`user:${canary}`).toString('base64')

const forms = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  encodeURIComponent(canary).replaceAll('%20', '+'),
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('base64url'),
  Buffer.from(canary).toString('hex'),
]

function* everyFile(dir: string): Generator<string> {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name)
    if (statSync(path).isDirectory()) yield* everyFile(path)
    else yield path
  }
}

test('a secret planted in every field of every entry is in no byte that is written', async () => {
  const key = await loadCommitmentKey(place.keyDir, place.desktop)
  const redactor = createRedactor({ secrets: [{ name: 'bird', value: canary }], key })
  const evidence = openEvidence(place.dir, Buffer.alloc(32, 5))
  const journal = await place.open()
  for (const form of [...forms, JSON.stringify({ nested: JSON.stringify({ canary }) }), `Basic ${inBasic}`]) {
    const planted: EntryBody[] = [
      { ...decided(form), args: { text: form, [form]: [form, { deep: form }] }, intent: form } as EntryBody,
      { type: 'operator', what: form, by: { id: form, role: 'operator' }, detail: { list: [form] } },
      { type: 'rejected', tool: form, principal: { id: form, role: 'agent' }, code: 'BAD_ARGS', message: `no such thing: ${form}` },
      { type: 'human', from: form, to: form, pointerEvents: 1, keyEvents: 1, touched: [form] },
    ]
    for (const body of planted) await journal.append(redactor.value(body) as EntryBody)
    const screenshotHash = await evidence.keep(Buffer.from(form), 'encrypted')
    await journal.append({
      type: 'done',
      op: 'op',
      status: 'success',
      sent: 'all',
      effect: 'confirmed',
      ms: 1,
      evidence: { screenshotHash },
    })
  }
  await journal.append({ ...decided('typed'), args: { text: redactor.commit(canary) } } as EntryBody)
  await journal.close()

  const files = [...everyFile(place.root)]
  expect(files.length).toBeGreaterThan(forms.length)
  const found = files.flatMap((file) =>
    [...forms, inBasic.slice(8, 40)].filter((form) => readFileSync(file).includes(form)).map((form) => `${form} in ${file}`),
  )
  expect(found).toEqual([])
  expect(place.lines().join('')).toContain('[secret:bird]')
  expect(await place.verify()).toMatchObject({ ok: true })
})
