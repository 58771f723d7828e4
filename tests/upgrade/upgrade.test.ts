import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  evidenceKey,
  lastSeq,
  loadSigner,
  openEvidence,
  openJournal,
  readEntries,
  readRaw,
  recallCalls,
  recordedCalls,
  verifyJournal,
  type Verification,
} from '@deskhand/core/journal'
import { EntryBody, type JournalEntry, type TargetFacts } from '@deskhand/core/model'
import { openPolicy } from '@deskhand/core/policy'
import { loadCommitmentKey, opens, type Commitment } from '@deskhand/core/redaction'
import { DesktopState } from '../../packages/deskhand/src/broker/desktop-state.ts'
import { TokenFiles } from '../../packages/deskhand/src/broker/token-files.ts'
import { loadConfig } from '../../packages/deskhand/src/config.ts'
import { readSandboxFile } from '../../packages/deskhand/src/desktop/file.ts'
import { findSandbox, listSandboxes, reap } from '../../packages/deskhand/src/desktop/takedown.ts'
import { Extensions } from '../../packages/deskhand/src/extension/store.ts'
import { readSeal } from '../../packages/deskhand/src/playbook/signature.ts'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { open } from '../../packages/deskhand/src/wiring/open.ts'
import { collect } from '../journal/kit.ts'
import { fixtures, left, Restored } from './restore.ts'

const TARGET: TargetFacts = {
  role: 'textbox',
  app: { id: 'virtual:billing', name: 'billing' },
  path: [],
  source: 'structure',
  confidence: 1,
  why: [],
}

describe.each(fixtures())('what version %s left', (fixture) => {
  let old: Restored
  beforeEach(() => {
    old = new Restored(fixture)
  })
  afterEach(() => old.remove())

  const stateOf = (desktop: string): DesktopState => new DesktopState(old.state, desktop)
  const verify = (desktop: string): Promise<Verification> =>
    verifyJournal({ dir: old.journal(desktop), desktop: stateOf(desktop).desktop(), anchorDir: stateOf(desktop).keys })
  const entriesOf = (desktop: string): Promise<JournalEntry[]> => collect(readEntries(old.journal(desktop)))

  describe('journals', () => {
    test('every one is intact, and what was under way when its writer died is named', async () => {
      for (const desktop of old.desktops) {
        const found = await verify(desktop)
        expect(found, desktop).toMatchObject({ ok: true, problems: [] })
        expect(found.anchoredTo, desktop).toBe(found.entries)
      }
      expect((await verify('billing')).inFlight).toEqual([])
      expect((await verify('ledger')).inFlight).toHaveLength(1)
      expect((await verify('archive')).tornBytes).toBeGreaterThan(0)
    })

    test('every type of entry is read, over several segments', async () => {
      const types = new Set((await Promise.all(old.desktops.map(entriesOf))).flat().map((entry) => entry.type))
      expect([...types].sort()).toEqual(EntryBody.options.map((o) => o.shape.type.value).sort())
      expect(readdirSync(old.journal('archive')).filter((name) => name.endsWith('.jsonl')).length).toBeGreaterThan(1)
    })

    test('an export has the recorded bytes', async () => {
      for (const desktop of old.desktops) {
        const raw = Buffer.concat(await collect(readRaw(old.journal(desktop))))
        expect(raw.equals(old.bytes(desktop).subarray(0, raw.length)), desktop).toBe(true)
        expect(raw.toString().split('\n').length - 1).toBe(await lastSeq(old.journal(desktop)))
      }
    })

    test('calls are told with what became of them', async () => {
      const calls = await collect(recordedCalls(old.journal('billing')))
      expect(calls.map((call) => call.decided.callId)).toEqual(expect.arrayContaining(['save-1', 'pay-1', 'script-1/0', 'delete-1']))
      expect(calls.filter((call) => call.done === undefined)).toEqual([])
      const [left] = (await collect(recordedCalls(old.journal('ledger')))).slice(-1)
      expect(left).toMatchObject({ decided: { callId: 'tab-1' }, acting: { type: 'acting' } })
      expect(left?.done).toBeUndefined()
    })

    test('calls by their callId are recalled, also where it is unknown what they sent', async () => {
      const { journal: dir, keys: keyDir } = stateOf('ledger')
      const journal = await openJournal({ dir, desktop: stateOf('ledger').desktop() ?? '', keyDir })
      const calls = await recallCalls(journal, { sinceMs: 0, max: 100 })
      expect(calls).toMatchObject([{ principal: 'agent', callId: 'tab-1', kind: 'key', known: { state: 'sent_unknown' } }])
      await journal.close()
    })

    test('each is continued where it ended, and the whole verifies', async () => {
      for (const desktop of old.desktops) {
        const before = old.bytes(desktop)
        const [{ entries, tornBytes }, { journal: dir, keys: keyDir }] = [await verify(desktop), stateOf(desktop)]
        const journal = await openJournal({ dir, desktop: stateOf(desktop).desktop() ?? '', keyDir })
        expect(await journal.append({ type: 'operator', what: 'upgrade', by: { id: 'operator', role: 'operator' } })).toBe(entries + 2)
        await journal.close()
        expect(await verify(desktop)).toMatchObject({ ok: true, entries: entries + 3, anchoredTo: entries + 3, tornBytes: 0 })
        expect(old.bytes(desktop).subarray(0, before.length - tornBytes)).toEqual(before.subarray(0, before.length - tornBytes))
      }
    })
  })

  describe('what was not kept in the clear', () => {
    test('a redacted text is proved with the key of its desktop, and no other text is', async () => {
      const { desktop, text } = old.facts.redacted
      const key = await loadCommitmentKey(stateOf(desktop).keys, stateOf(desktop).desktop() ?? '')
      const committed = (await entriesOf(desktop)).flatMap((entry) => (entry.type === 'decided' ? commitments(entry.args) : []))
      expect(committed.length).toBeGreaterThan(1)
      expect(committed.filter((commitment) => opens(key, commitment, 'text', text))).toHaveLength(1)
      expect(committed.filter((commitment) => opens(key, commitment, 'text', `${text}!`))).toHaveLength(0)
    })

    test('encrypted evidence is opened with the key that the configuration names', async () => {
      const { evidence } = loadConfig({ file: old.config, env: {} })
      const store = openEvidence(old.journal('billing'), await evidenceKey({ file: evidence.keyFile ?? '' }))
      const ids = (await entriesOf('billing')).flatMap((entry) => (entry.type === 'done' ? outlines(entry) : []))
      expect(ids.length).toBeGreaterThan(1)
      for (const id of ids) expect((await store.read(id)).toString()).toContain('Save')
    })

    test('secrets come from the file, the environment and a command', async () => {
      vi.stubEnv('DESKHAND_UPGRADE_TOKEN', 'from the environment')
      const secrets = new Secrets(join(old.state, 'secrets.toml'), undefined)
      expect(await secrets.reveal('mail', TARGET)).toBe('correct horse battery staple')
      expect(await secrets.reveal('token', TARGET)).toBe('from the environment')
      expect(await secrets.reveal('vault', TARGET)).toBe('from a command')
    })
  })

  test('tokens make their holders the principals that they were, and do not stand on the disk any more', () => {
    const { tokens } = stateOf('billing')
    const ids = ['agent', 'operator', 'reviewer']
    const kept = (): string[] => ids.map((id) => readFileSync(tokens.file(id), 'utf8').trim())
    const held = kept()
    stateOf('billing').prepare()
    for (const text of kept()) for (const token of held) expect(text).not.toContain(token)
    expect(held.map((token) => tokens.principal(token))).toEqual([
      { id: 'agent', role: 'agent' },
      { id: 'operator', role: 'operator' },
      { id: 'reviewer', role: 'agent' },
    ])
  })

  test('the policy loads, and so does the sandbox file', () => {
    const { policy, human } = loadConfig({ file: old.config, env: {} })
    expect(human).toMatchObject({ mode: 'enforce', idleSeconds: 0.5 })
    const rules = openPolicy({ preset: 'supervised', user: policy.files })
    expect(rules.version).toMatch(/^policy-/)
    expect(readSandboxFile(join(old.dir, 'office.yaml'))).toMatchObject({ name: 'office', size: { width: 800, height: 600 } })
  })

  test('a desktop whose broker was killed is taken over and goes on with its record', async () => {
    const before = (await verify('ledger')).entries
    const config = loadConfig({ file: old.config, env: {}, flags: { desktop: { name: 'ledger', ui: join(old.dir, 'billing.ui.json') } } })
    const desk = await open({ config: { ...config, state: old.state }, keep: true })
    try {
      expect(await desk.call('ui.click', { target: 'name="Save"' })).toMatchObject({ status: 'success' })
    } finally {
      await desk.close()
    }
    expect(await verify('ledger')).toMatchObject({ ok: true })
    expect((await verify('ledger')).entries).toBeGreaterThan(before + 3)
  })

  test('sandboxes that were left behind are listed, told to be dead, and cleared away', async () => {
    const folder = join(old.state, 'sandboxes')
    const listed = listSandboxes(folder)
    expect(listed.map(({ state, record }) => [state, record.name])).toEqual([
      ['dead', 'office'],
      ['dead', 'sandbox'],
    ])
    expect(await reap(folder)).toHaveLength(2)
    expect(readdirSync(folder)).toEqual([])
  })

  describe('what cannot be read says what to do', () => {
    const opened = (desktop: string) => {
      const { journal: dir, keys: keyDir } = stateOf(desktop)
      return openJournal({ dir, desktop: stateOf(desktop).desktop() ?? '', keyDir })
    }

    test('a journal that a newer version went on with', async () => {
      const { head, entries } = await verify('billing')
      const line = `{"v":2,"seq":${entries + 1},"time":"2027-01-01T00:00:00.000Z","prev":"${head}","type":"operator"}\n`
      appendFileSync(join(old.journal('billing'), 'journal-000001.jsonl'), line)
      const refused = { code: 'JOURNAL_BROKEN', message: expect.stringContaining('version 2'), next: expect.stringContaining('newer') }
      await expect(opened('billing')).rejects.toMatchObject(refused)
      await expect(entriesOf('billing')).rejects.toMatchObject(refused)
    })

    test('an anchor that is missing or of another form', async () => {
      const { keys } = stateOf('billing')
      const anchor = join(keys, readdirSync(keys).find((name) => name.includes('billing') && name.endsWith('.anchor')) ?? '')
      writeFileSync(anchor, readFileSync(anchor, 'utf8').replaceAll('"v":1', '"v":2'))
      await expect(opened('billing')).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', next: expect.stringContaining('Restore') })
      rmSync(anchor)
      await expect(opened('billing')).rejects.toMatchObject({ code: 'JOURNAL_BROKEN', next: expect.stringContaining('Restore') })
    })

    test('a commitment key that is cut short', async () => {
      const { keys } = stateOf('billing')
      const file = readdirSync(keys).find((name) => name.includes('billing') && name.endsWith('.secret')) ?? ''
      writeFileSync(join(keys, file), 'short')
      const refused = { code: 'BAD_CONFIG', next: expect.stringContaining('openssl') }
      await expect(loadCommitmentKey(keys, stateOf('billing').desktop() ?? '')).rejects.toMatchObject(refused)
    })

    test('secrets with a key that is not known', () => {
      const file = join(old.state, 'secrets.toml')
      appendFileSync(file, '\n[later]\nvalue = "abcdef"\napps = ["x"]\nrotate = "daily"\n')
      const refused = { code: 'BAD_CONFIG', message: expect.stringContaining('later'), next: expect.stringContaining(file) }
      expect(() => new Secrets(file, undefined)).toThrow(expect.objectContaining(refused))
    })

    test('a policy with a key that is not known', () => {
      const { policy } = loadConfig({ file: old.config, env: {} })
      appendFileSync(
        join(policy.files[0] ?? '', '20-gemini.toml'),
        '\n[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\nsince = 1\n',
      )
      expect(() => openPolicy({ preset: 'supervised', user: policy.files })).toThrow(expect.objectContaining({ code: 'BAD_POLICY' }))
    })

    test('the record of a sandbox that a newer version brought up', () => {
      const folder = join(old.state, 'sandboxes')
      const [file = ''] = readdirSync(folder)
      writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace('"v": 1', '"v": 2'))
      expect(listSandboxes(folder)).toHaveLength(1)
      const refused = { code: 'NO_DESKTOP', next: expect.stringContaining(file) }
      expect(() => findSandbox(folder, file.replace('.json', ''))).toThrow(expect.objectContaining(refused))
      expect(existsSync(join(folder, file))).toBe(true)
    })
  })
})

describe.each(fixtures().filter((fixture) => left(fixture, 'state/server')))(
  'what an operator gave the server of version %s',
  (fixture) => {
    let old: Restored
    beforeEach(() => {
      old = new Restored(fixture)
    })
    afterEach(() => old.remove())

    test('the token of a client is its own, by its digest', () => {
      const tokens = new TokenFiles(join(old.state, 'server', 'tokens'))
      expect(readFileSync(tokens.file('reader'), 'utf8')).not.toContain(old.facts.token)
      expect(tokens.principal(old.facts.token ?? '')).toEqual({ id: 'reader', role: 'viewer' })
    })

    test('an extension is what was added, a playbook is signed by the operator, and saved rules hold', async () => {
      expect(new Extensions(old.state).read('billing').manifest.selectors).toEqual({ save: 'role=button && name="Save"' })
      const { signer } = readSeal(readFileSync(join(old.state, 'playbooks', 'save.toml'), 'utf8'))
      expect(signer).toBe((await loadSigner(join(old.state, 'keys'), 'operator')).key)
      const flags = { desktop: { name: 'front', ui: join(old.dir, 'billing.ui.json') } }
      const desk = await open({ config: { ...loadConfig({ file: old.config, env: {}, flags }), state: old.state }, keep: true })
      try {
        const denied = { status: 'error', error: { code: 'DENIED' } }
        expect(await desk.call('ui.click', { target: 'name="Pay now"' })).toMatchObject(denied)
        expect(await desk.call('ui.click', { target: 'name="Delete"' })).toMatchObject(denied)
        expect(await desk.call('ui.click', { target: 'app:billing.save' })).toMatchObject({ status: 'success' })
      } finally {
        await desk.close()
      }
    })
  },
)

/** Every commitment in a call's arguments. */
function commitments(value: unknown): Commitment[] {
  if (typeof value !== 'object' || value === null) return []
  if ('redacted' in value) return [value as Commitment]
  return Object.values(value).flatMap(commitments)
}

function outlines({ evidence }: Extract<JournalEntry, { type: 'done' }>): string[] {
  return [evidence?.before?.outline, evidence?.after?.outline].filter((id) => id?.startsWith('enc:') === true) as string[]
}
