import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { METHODS, type JournalEntry, type MethodName } from '@deskhand/core/model'
import { BrokerClient } from '../../packages/deskhand/src/broker/client.ts'
import { element, window } from '../support/desk.ts'
import { served, type Served } from '../support/served.ts'

type Told = (client: BrokerClient) => Promise<{ what?: string; [field: string]: unknown }>

/** What only an operator may do and changes or reveals something: how it is done here, and the entry that it leaves. */
const RECORDED: Partial<Record<MethodName, { does: Told; entry?: string }>> = {
  pause: { does: (c) => c.invoke('pause', {}).then(() => ({ what: 'pause' })) },
  stop: { does: (c) => c.invoke('stop', {}).then(() => ({ what: 'stop' })) },
  resume: { does: (c) => c.invoke('resume', {}).then(() => ({ what: 'resume' })) },
  mode: { does: (c) => c.invoke('mode', { mode: 'simulation_only' }).then(() => ({ what: 'mode' })) },
  takeover: { does: (c) => c.invoke('takeover', {}).then(() => ({ what: 'takeover' })) },
  'takeover.end': { does: (c) => c.invoke('takeover.end', {}).then(() => ({ what: 'handback' })) },
  'takeover.input': {
    does: async (c) => {
      await c.invoke('takeover.input', {
        events: [
          { type: 'down', key: 'Tab' },
          { type: 'up', key: 'Tab' },
        ],
      })
      await c.invoke('takeover.end', {})
      return { what: 'takeover' }
    },
  },
  'approvals.watch': {
    does: (c) => c.invoke('approvals.watch', { pids: [process.pid] }).then(() => ({ what: 'watch', detail: { pids: [process.pid] } })),
  },
  'approvals.answer': { does: (c) => answered(c), entry: 'answered' },
  'approvals.shown': { does: (c) => answered(c, true), entry: 'answered' },
  'grants.revoke': {
    does: async (c) => {
      await answered(c, false, 'session')
      const [grant] = await c.invoke('grants.list', {})
      await c.invoke('grants.revoke', { id: grant?.id ?? '' })
      return { what: 'revoke', detail: { id: grant?.id } }
    },
  },
  'journal.evidence': {
    does: async (c) => {
      const { evidence } = await agent.call('ui.click', { target: 'name="Order"' })
      const id = evidence?.before?.outline ?? ''
      expect((await c.invoke('journal.evidence', { id })).bytes.length).toBeGreaterThan(0)
      return { what: 'evidence', detail: { id } }
    },
  },
  replay: {
    does: async (c) => {
      const [decided] = await c.invoke('journal.read', { types: ['decided'], tool: 'ui.click', newest: true, limit: 1 })
      const seq = decided?.seq ?? 0
      await c.invoke('replay', { seq, tool: 'ui.click', kind: 'click', args: { target: 'name="Order"' }, as: 'agent', dryRun: false })
      return { what: 'replay', detail: { seq } }
    },
  },
  'policy.save': {
    does: async (c) => {
      const { text, version } = await c.invoke('policy.saved', {})
      await c.invoke('policy.save', { text: `${text}\n# looked through`, version })
      return { what: 'policy' }
    },
  },
  'settings.python': { does: (c) => c.invoke('settings.python', { timeout: 7 }).then(() => ({ what: 'python', detail: { timeout: 7 } })) },
  'tokens.add': {
    does: (c) => c.invoke('tokens.add', { id: 'guest', role: 'viewer' }).then(() => ({ what: 'token', detail: { id: 'guest' } })),
  },
  'tokens.remove': {
    does: async (c) => {
      await c.invoke('tokens.add', { id: 'leaver', role: 'viewer' })
      await c.invoke('tokens.remove', { id: 'leaver' })
      return { what: 'token.remove', detail: { id: 'leaver' } }
    },
  },
}

/** What a simulated desktop cannot do, or ends it: where its entry is seen. */
const ELSEWHERE: Partial<Record<MethodName, string>> = {
  'screen.size': 'tests/http/screen-size.test.ts',
  'consent.give': 'tests/wayland/consent.test.ts',
  'consent.withdraw': 'tests/wayland/consent.test.ts',
  shutdown: 'the last test of this file',
}

/** What only looks at what is the operator's own. */
const LOOKS: Partial<Record<MethodName, string>> = {
  'takeover.clipboard': 'part of a takeover, which is recorded: a client asks for it over and over',
  'policy.explain': 'what the policy would say',
  'policy.check': 'what is wrong about a text',
  'policy.trial': 'what a text would have decided',
  'policy.propose': 'a text of which nothing is saved',
  'policy.saved': 'the rules themselves',
  'script.check': 'what is wrong with a text',
  settings: 'the configuration',
  doctor: 'what is there on this machine',
  'tokens.list': 'names without their tokens',
}

const UI = { windows: [window('Shop', [element('button', 'Order'), element('button', 'Ask')])] }
const POLICY = `[[rule]]
toolName = "ui.click"
decision = "allow"
priority = 500
obligations = { evidence = "encrypted" }

[[rule]]
toolName = "ui.click"
decision = "ask_user"
priority = 600
when = { name = "Ask" }
`

let dir: string
let desk: Served | undefined
let agent: BrokerClient
let operator: BrokerClient
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'dh-recorded-'))
  const [ui, policy, keyFile] = ['ui.json', 'policy.toml', 'key'].map((name) => join(dir, name)) as [string, string, string]
  writeFileSync(ui, JSON.stringify(UI))
  writeFileSync(policy, POLICY)
  writeFileSync(keyFile, `${'5a'.repeat(32)}\n`, { mode: 0o600 })
  desk = await served({ desktop: { ui }, policy: { files: [policy] }, evidence: { keyFile } })
  agent = (await desk.client()) as BrokerClient
  operator = (await desk.client('operator')) as BrokerClient
})
afterAll(async () => {
  for (const client of [agent, operator]) await client?.close()
  await desk?.close()
  rmSync(dir, { recursive: true, force: true })
})

const entries = (): Promise<JournalEntry[]> => operator.invoke('journal.read', { limit: 1000 })

/** A call of the agent that a person is asked about, and the answer; the entry that tells of it. */
async function answered(client: BrokerClient, isShown = false, scope: 'once' | 'session' = 'once'): ReturnType<Told> {
  const call = agent.call('ui.click', { target: 'name="Ask"' })
  await expect.poll(() => client.invoke('approvals.list', {}), { timeout: 10_000 }).toHaveLength(1)
  const [question] = await client.invoke('approvals.list', {})
  const id = question?.id ?? ''
  const shownAt = isShown ? (await client.invoke('approvals.shown', { id })).shownAt : undefined
  await client.invoke('approvals.answer', { id, allow: true, scope })
  await call
  return { approval: id, ...(isShown && { shownAt: expect.stringMatching(shownAt ?? 'never') }) }
}

test('every method that is for operators alone leaves an entry, or only looks', () => {
  const alone = (Object.keys(METHODS) as MethodName[]).filter((name) => METHODS[name].roles.join() === 'operator')
  const known = [...Object.keys(RECORDED), ...Object.keys(ELSEWHERE), ...Object.keys(LOOKS)]
  expect(alone.toSorted()).toEqual(known.toSorted())
})

test.each(Object.entries(RECORDED))('%s says in the record who did it', async (_, { does, entry = 'operator' }) => {
  const before = (await entries()).length
  const wanted = await does(operator)
  const added = (await entries()).slice(before).filter((e) => e.type === entry)
  const left = added.find((e) => !('what' in e) || e.what === wanted.what)
  expect(left).toMatchObject({ by: { id: 'operator', role: 'operator' }, ...wanted })
})

test.each(Object.keys(LOOKS) as MethodName[])('%s adds nothing to it', async (name) => {
  const params: Partial<Record<MethodName, object>> = {
    'policy.explain': { tool: 'ui.click', args: { target: 'name="Order"' }, as: 'agent' },
    'policy.check': { text: '' },
    'policy.trial': { text: '' },
    'script.check': { script: 'import pyautogui' },
    'policy.propose': { op: (await entries()).findLast((e) => e.type === 'decided')?.op, decision: 'allow' },
  }
  const before = (await entries()).length
  await operator.invoke(name, (params[name] ?? {}) as never)
  expect((await entries()).length).toBe(before)
})

test('who ends the desktop is the last thing in the record', async () => {
  await operator.invoke('shutdown', {})
  await desk?.broker.ended
  expect((await entries()).at(-1)).toMatchObject({ type: 'operator', what: 'down', by: { id: 'operator' } })
})
