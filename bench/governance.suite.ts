import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open as openFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { within } from '@deskhand/core/driver'
import { openJournal, type ReadableJournal } from '@deskhand/core/journal'
import type { EntryBody, TargetFacts } from '@deskhand/core/model'
import { createPolicy, fold, loadPreset, parsePolicy, type Setting, type Subject } from '@deskhand/core/policy'
import { openVirtual } from '@deskhand/driver-virtual'
import { open, type Opened } from 'deskhand'
import { median, spent, time, type Report } from './report.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DESKTOP = 'urn:deskhand:virtual:bench'
const MILLION = 1_000_000
const PART = 100_000

/** What it costs to be governed: the decision, the approval, the record. */
export default async function governance(report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-bench-'))
  try {
    await decisions(report)
    await folding(report)
    await overlapping(report, dir)
    await lone(report, dir)
    await added(report, dir)
    await million(report, dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function decisions(report: Report): Promise<void> {
  for (const [rules, most] of [
    [100, 30],
    [1_000, 150],
  ] as const) {
    const policy = createPolicy({
      rules: [loadPreset('sandbox'), parsePolicy(manyRules(rules), 'bench.toml', 'user')].flatMap((f) => f.rules),
    })
    const verdict = policy.decide(SUBJECT, policy.assess(SUBJECT, SETTING), SETTING)
    if (verdict.rule?.name !== 'the last') throw new Error(`decided by ${verdict.rule?.name}`)
    const rounds = 10
    const decide = () => {
      for (let i = 0; i < rounds; i++) policy.decide(SUBJECT, policy.assess(SUBJECT, SETTING), SETTING)
    }
    const ms = await time(1_000, decide, 500)
    report.add({
      name: `risk and decision, ${rules} rules, none but the last matches`,
      unit: 'µs',
      ours: (ms * 1000) / rounds,
      bar: { of: 'ours', atMost: most },
    })
  }
}

/** Names as applications write them, plain and in disguise, each folded anew. */
async function folding(report: Report): Promise<void> {
  const names = ['Save', 'Save as…', 'Аrсhіvе all', 'Datei öffnen', '\u200bDelete account', '  Send   message ', 'Удалить файл', '保存文件']
  const rounds = 100
  const ms = await time(500, () => {
    for (let i = 0; i < rounds; i++) for (const name of names) fold(name)
  })
  report.add({ name: 'a name folded', unit: 'µs', ours: (ms * 1000) / rounds / names.length, bar: { of: 'ours', atMost: 2 } })
}

/** Durable entries of 50 callers at once; they share the syncs. */
async function overlapping(report: Report, dir: string): Promise<void> {
  const journal = await openIn(join(dir, 'overlapping'), 'real')
  const started = performance.now()
  let entries = 0
  await Promise.all(
    Array.from({ length: 50 }, async (_, caller) => {
      while (performance.now() - started < 3_000) {
        const op = `op-${caller}-${entries}`
        await journal.append(acting(op), { durable: true })
        await journal.append(done(op), { durable: true })
        entries += 2
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  await journal.close()
  report.add({ name: 'durable entries, 50 callers at once', unit: '/s', ours: entries / seconds, bar: { of: 'ours', atLeast: 5_000 } })
}

/** A durable action and the disk's own syncs by turns, as the disk serves others, too. */
async function lone(report: Report, dir: string): Promise<void> {
  const desk = await open({ config: { state: join(dir, 'lone'), journal: { durability: 'real' } }, keep: true })
  const file = await openFile(join(dir, 'sync'), 'w')
  const syncs = countSyncs(file)
  const alone: number[] = []
  const whole: number[] = []
  const counts: number[] = []
  for (let i = 0; i < 400; i++) {
    alone.push(await spent(() => file.write(Buffer.alloc(512)).then(() => file.datasync())))
    const before = syncs.count
    whole.push(await spent(() => click(desk)))
    counts.push(syncs.count - before)
  }
  await file.close()
  await desk.close()
  const sync = median(alone)
  report.add({ name: "the disk's own fdatasync", unit: 'ms', ours: sync })
  report.add({ name: 'syncs of a lone action', unit: '', ours: median(counts), bar: { of: 'ours', atMost: 2 } })
  report.add({ name: 'a lone action, durable', unit: 'ms', ours: median(whole), peer: 2 * sync, peerName: 'two syncs of this disk' })
  const plain = await open({ config: { state: join(dir, 'plain') } })
  report.add({ name: 'the same action, nothing on disk', unit: 'ms', ours: await time(500, () => click(plain)) })
  await plain.close()
}

/** Decision, approval and record around an action, beside the driver doing it unasked. The person answers at once, and nothing waits for the disk. */
async function added(report: Report, dir: string): Promise<void> {
  const policy = join(dir, 'ask.toml')
  writeFileSync(policy, '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\n')
  let asked = 0
  const desk = await open({
    config: { state: join(dir, 'added'), journal: { durability: 'none' }, policy: { files: [policy] } },
    keep: true,
    approve: async () => ({ allow: ++asked > 0 }),
  })
  const governed = await time(300, () => click(desk))
  await desk.close()
  if (asked < 300) throw new Error('nobody was asked')
  const bare = await bareClick()
  report.add({ name: 'decision, approval and record add', unit: 'ms', ours: governed - bare, bar: { of: 'ours', atMost: 2 } })
}

async function bareClick(): Promise<number> {
  const driver = openVirtual({
    ui: [
      {
        element_id: 'w',
        element_type: 'window',
        label_text: 'W',
        children: [{ element_id: 'c', element_type: 'checkbox', label_text: 'C' }],
      },
    ],
  })
  const { nodes } = await driver.observe.read({}, within(1_000))
  const box = nodes.find((n) => n.role === 'checkbox')
  if (box?.bounds === undefined) throw new Error('there is no checkbox')
  const at = { x: box.bounds.x + 4, y: box.bounds.y + 4 }
  return time(500, async () => {
    const lease = await driver.act.take(1_000, within(1_000))
    const events = [
      { type: 'move' as const, ...at },
      { type: 'down' as const, button: 'left' as const },
      { type: 'up' as const, button: 'left' as const },
    ]
    const { sent } = await driver.act.step(lease, { do: 'pointer', events }, { hit: { at, key: box.key } }, within(1_000))
    if (sent !== 'all') throw new Error('the click did not arrive')
    await driver.act.drop(lease)
  })
}

/** A million entries: what the first and the last of them cost, and how fast and in how much memory they are verified. */
async function million(report: Report, dir: string): Promise<void> {
  const place = join(dir, 'million')
  const costs: number[] = []
  let small: Verified | undefined
  for (let part = 0; part < MILLION / PART; part++) {
    const journal = await openIn(place, 'none')
    const started = process.cpuUsage()
    for (let i = 0; i < PART; i += 2) {
      void journal.append(acting(`op-${i}`))
      await journal.append(done(`op-${i}`))
    }
    const { user, system } = process.cpuUsage(started)
    costs.push((user + system) / PART)
    await journal.close()
    if (part === 0) small = verified(place)
  }
  const half = costs.length / 2
  report.add({
    name: 'CPU per entry, the second 500,000',
    unit: 'µs',
    ours: median(costs.slice(half)),
    peer: median(costs.slice(0, half)),
    peerName: 'the first 500,000',
    bar: { of: 'ratio', atLeast: 0.75 },
  })
  const whole = verified(place)
  report.add({ name: 'verify 1,000,000 entries', unit: '/CPU s', ours: whole.perSecond, bar: { of: 'ours', atLeast: 100_000 } })
  report.add({
    name: 'memory of verifying 1,000,000 entries',
    unit: 'MB',
    ours: whole.mb,
    peer: small?.mb,
    peerName: '100,000 entries',
    bar: { of: 'ratio', atLeast: 0.6 },
  })
}

interface Verified {
  perSecond: number
  mb: number
}

/** In a process of its own, so that its memory is its own. */
function verified(place: string): Verified {
  const script = `
    import { verifyJournal } from '@deskhand/core/journal'
    const started = process.cpuUsage()
    const found = await verifyJournal(${JSON.stringify({ dir: join(place, 'journal'), desktop: DESKTOP, anchorDir: join(place, 'keys') })})
    const { user, system } = process.cpuUsage(started)
    const seconds = (user + system) / 1e6
    console.log(JSON.stringify({ ok: found.problems.length === 0, perSecond: found.entries / seconds, mb: process.resourceUsage().maxRSS / 1024 }))`
  const told: Verified & { ok: boolean } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' }),
  )
  if (!told.ok) throw new Error('the journal does not verify')
  return told
}

/** Counts every sync that this process asks its disk for. */
function countSyncs(file: FileHandle): { count: number } {
  const handle = Object.getPrototypeOf(file) as Record<'datasync' | 'sync', () => Promise<void>>
  const counter = { count: 0 }
  for (const name of ['datasync', 'sync'] as const) {
    const real = handle[name]
    handle[name] = function counted(): Promise<void> {
      counter.count++
      return real.call(this)
    }
  }
  return counter
}

const openIn = (place: string, durability: 'real' | 'none'): Promise<ReadableJournal> =>
  openJournal({ dir: join(place, 'journal'), keyDir: join(place, 'keys'), desktop: DESKTOP, durability })

const acting = (op: string): EntryBody => ({ type: 'acting', op, steps: ['click button "Save"'], digest: 'd'.repeat(64) })
const done = (op: string): EntryBody => ({ type: 'done', op, status: 'success', sent: 'all', effect: 'confirmed', via: 'pointer', ms: 1 })

async function click(desk: Opened): Promise<void> {
  const result = await desk.call('ui.click', { target: 'name="Already paid"' })
  if (result.effect !== 'confirmed') throw new Error(`the click was ${result.effect}: ${result.error?.message ?? ''}`)
}

/** Rules of every kind that people write; the last one is for the subject. */
function manyRules(count: number): string {
  const others = Array.from({ length: count - 1 }, (_, i) => {
    const head = `[[rule]]\nname = "rule ${i}"\ntoolName = "${i % 3 === 0 ? 'ui.*' : 'ui.click'}"\ndecision = "deny"\npriority = ${500 + (i % 400)}\n`
    if (i % 4 === 0) return `${head}argsPattern = "secret-${i}"\n`
    if (i % 4 === 1) return `${head}[rule.when]\napp = "application-${i}*"\n`
    if (i % 4 === 2) return `${head}[rule.when]\nname = "*button ${i}*"\nrole = "button"\n`
    return `${head}[rule.when]\nwindow = "Window ${i} - *"\n`
  })
  return [
    ...others,
    '[[rule]]\nname = "the last"\ntoolName = "ui.click"\ndecision = "allow"\npriority = 400\n[rule.when]\napp = "mouse*"\nname = "Save"\n',
  ].join('\n')
}

const TARGET: TargetFacts = {
  key: 'n12',
  elementId: 'e12',
  role: 'button',
  name: 'Save',
  bounds: { x: 10, y: 10, w: 80, h: 30 },
  states: { enabled: true, visible: true, focusable: true },
  app: { id: 'app1', name: 'Mousepad', pid: 4_000_000, executable: '/usr/bin/mousepad', toolkit: 'gtk' },
  window: { key: 'n1', title: 'Untitled 1 - Mousepad', role: 'window', bounds: { x: 0, y: 0, w: 800, h: 600 } },
  path: ['Untitled 1 - Mousepad', 'Save'],
  source: 'structure',
  selector: 'role=button && name="Save"',
  confidence: 1,
  why: ['the only match'],
}

const SUBJECT: Subject = {
  tool: 'ui.click',
  kind: 'click',
  args: { target: { selector: 'role=button && name="Save"' }, button: 'left', clickCount: 1 },
  principal: { id: 'agent', role: 'agent' },
  targets: [TARGET],
  tainted: false,
}

const SETTING: Setting = { desktop: 'sandbox', driver: 'linux', mode: 'simulation_only', now: Date.now(), interactive: true }
