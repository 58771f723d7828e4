/**
 * Makes a fixture with the code of another checkout: node --import tsx tests/upgrade/record.ts <built checkout> <name>
 * It needs the Debian packages of a sandbox. README.md says when to run it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { EntryBody } from '@deskhand/core/model'

const [checkout, name] = process.argv.slice(2)
if (checkout === undefined || name === undefined) throw new Error('name a built checkout and the fixture')
const cli = resolve(checkout, 'packages/deskhand/dist/cli/main.js')
/** Paths are part of what is recorded, so this one says nothing about the machine. */
const root = '/tmp/deskhand-upgrade'
const state = join(root, 'state')
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: root, DESKHAND_STATE: state, DESKHAND_UPGRADE_TOKEN: 'from the environment' }
const redacted = 'Order 4711 for Erika Mustermann'
let token = ''

mkdirSync(root, { mode: 0o700 })
try {
  cpSync(join(import.meta.dirname, 'inputs'), root, { recursive: true })
  mkdirSync(state, { mode: 0o700 })
  renameSync(join(root, 'secrets.toml'), join(state, 'secrets.toml'))
  chmodSync(join(state, 'secrets.toml'), 0o600)
  writeFileSync(join(root, 'evidence.key'), `${'5a'.repeat(32)}\n`, { mode: 0o600 })
  await closedCleanly()
  await killedWhileActing()
  const kept = keptSandbox()
  await sandboxOfABroker(kept)
  await everyEntry()
  await serverWithAll()
  save()
} finally {
  run(['desktop', 'down'])
  rmSync(root, { recursive: true, force: true })
}

/** A simulated desktop with most of what can happen on one, whose broker was ended by its operator. */
async function closedCleanly(): Promise<void> {
  const broker = await up('--name', 'billing', '--ui', 'billing.ui.json')
  const calls = [
    { tool: 'ui.snapshot' },
    { tool: 'ui.type', args: { target: 'name="Customer"', text: 'Erika Mustermann' }, intent: 'fill in the form' },
    { tool: 'ui.type', args: { target: 'name="Customer"', text: redacted, mode: 'replace', redactInLogs: true } },
    { tool: 'ui.type', args: { target: 'name="Order number"', text: 'A-4711' } },
    { tool: 'ui.type', args: { target: 'name="Customer"', secret: 'mail', mode: 'replace' } },
    { tool: 'ui.type', args: { target: 'name="Password"', text: 'not kept either' } },
    { tool: 'ui.click', args: { target: 'name="Save"', verify: { text: 'Saved' } }, callId: 'save-1' },
    { tool: 'ui.click', args: { target: 'name="Save"' }, dryRun: true },
    { tool: 'ui.click', args: { target: 'name="Pay now"' }, callId: 'pay-1' },
    { tool: 'ui.click', args: { goal: 'Save' } },
    { tool: 'ui.click', args: { target: 'name="Nothing"', timeoutMs: 10 } },
    { tool: 'plan.rehearse', args: { actions: [{ tool: 'ui.click', args: { target: 'name="Save"' } }] } },
    { tool: 'script.run', args: { script: "import pyautogui\npyautogui.press('tab')\n" }, callId: 'script-1' },
  ]
  run(['call', '--stdin'], calls.map((c) => `${JSON.stringify(c)}\n`).join(''))
  await asked({ tool: 'ui.click', args: { target: 'name="Delete"', clickCount: 2 } }, ['deny', '--reason', 'not now'])
  await asked({ tool: 'ui.click', args: { target: 'name="Delete"' }, callId: 'delete-1' }, ['allow', '--scope', 'session'])
  for (const command of [['mode', 'allow_actual_input_full'], ['pause'], ['resume'], ['stop'], ['resume']]) run(command)
  run(['down'])
  await ended(broker)
  // A second agent, as an operator adds one by hand.
  writeFileSync(join(state, 'desktops/billing/tokens/reviewer'), `${'reviewer'.repeat(6)}\n`, { mode: 0o600 })
}

/** Killed while a call waited for its effect: an `acting` without its `done`, locks and a socket that no process holds. */
async function killedWhileActing(): Promise<void> {
  const broker = await up('--name', 'ledger', '--ui', 'billing.ui.json')
  run(['call', 'ui.click', '{"target":"name=\\"Save\\""}'])
  const caller = start(['call', '--stdin'])
  caller.stdin?.end(
    `${JSON.stringify({ tool: 'ui.key', args: { keys: 'Tab', verify: { text: 'never' }, timeoutMs: 60_000 }, callId: 'tab-1' })}\n`,
  )
  const journal = join(state, 'desktops/ledger/journal/journal-000001.jsonl')
  while (!/"kind":"key".*\n.*"type":"acting".*\n$/.test(readFileSync(journal, 'utf8'))) await sleep(50)
  broker.kill('SIGKILL')
  await Promise.all([ended(broker), ended(caller)])
}

/** A desktop that stays until it is taken down; it is still up while it is saved. */
function keptSandbox(): string {
  return (JSON.parse(run(['desktop', 'up', '--file', 'office.yaml', '--json'])) as { id: string }).id
}

/** A real desktop of a broker's own, with a person at it; broker killed, and the desktop written down as it was left. */
async function sandboxOfABroker(kept: string): Promise<void> {
  const broker = await up('--name', 'office', '--desktop', 'sandbox')
  const id = readdirSync(join(state, 'sandboxes'))
    .map((file) => file.replace('.json', ''))
    .find((other) => other !== kept)
  run(['desktop', 'run', id ?? '', '--detach', '--', 'mousepad'])
  run(['call', 'ui.wait', '{"until":{"window":{"titleContains":"Mousepad"}},"timeoutMs":20000}'])
  run(['call', 'ui.type', '{"target":"role=textbox","text":"Dear Ms Mustermann"}'])
  run(['call', 'ui.key', '{"keys":"End"}'])
  // Last, as the visit of a person is anchored at once: what a killed broker wrote after its last anchor is not.
  run(['desktop', 'run', id ?? '', '--', 'xdotool', 'mousemove', '200', '200'])
  await sleep(1500)
  broker.kill('SIGKILL')
  await ended(broker)
}

/** A server with what operators give it: a client's token, an extension, a signed playbook, rules saved from the console. */
async function serverWithAll(): Promise<void> {
  const server = await up('--name', 'front', '--ui', 'billing.ui.json', '--port', '0')
  token = run(['token', 'add', 'reader', '--role', 'viewer', '--all']).match(/[\w-]{32,}/)?.[0] ?? ''
  run(['extension', 'add', 'given/extension', '--yes'])
  const playbooks = join(state, 'playbooks')
  mkdirSync(playbooks, { mode: 0o700 })
  cpSync(join(root, 'given/save.toml'), join(playbooks, 'save.toml'))
  run(['playbook', 'sign', join(playbooks, 'save.toml')])
  run(['policy', 'save', 'given/saved.toml'])
  run(['down'])
  await ended(server)
  rmSync(join(root, 'given'), { recursive: true })
}

/** Every type of entry over several segments, its last line torn. */
async function everyEntry(): Promise<void> {
  const core = (await import(pathToFileURL(resolve(checkout ?? '', 'packages/core/dist/journal/index.js')).href)) as {
    openJournal: typeof import('@deskhand/core/journal').openJournal
  }
  const dir = join(state, 'desktops/archive/journal')
  const desktop = 'urn:deskhand:virtual:archive'
  let clock = Date.parse('2026-01-01T00:00:00Z')
  const open = () =>
    core.openJournal({ dir, desktop, keyDir: join(state, 'keys'), checkpointEvery: 8, rotateBytes: 4000, clock: () => (clock += 250) })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, 'desktops/archive/desktop'), `${desktop}\n`)
  for (const part of ['first', 'second']) {
    const journal = await open()
    for (const body of bodies(part)) await journal.append(body, { durable: body.type === 'acting' || body.type === 'done' })
    await journal.close()
  }
  const journal = await open()
  await journal.append({ type: 'acting', op: 'op-torn', steps: ['press'], digest: 'd' }, { durable: true })
  const last =
    readdirSync(dir)
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .at(-1) ?? ''
  const bytes = readFileSync(join(dir, last))
  const anchors = readdirSync(join(state, 'keys')).filter((file) => file.endsWith('.anchor') && file.includes('archive'))
  const kept = anchors.map((file) => [join(state, 'keys', file), readFileSync(join(state, 'keys', file))] as const)
  await journal.close()
  // As a crash leaves it: no last checkpoint, and half a line.
  for (const file of readdirSync(dir)) if (file.endsWith('.jsonl') && file > last) rmSync(join(dir, file))
  writeFileSync(join(dir, last), bytes)
  appendFileSync(join(dir, last), '{"v":1,"seq":99,"time":"2026-01-01T00:00:20.')
  for (const [file, content] of kept) writeFileSync(file, content)
}

function bodies(part: string): EntryBody[] {
  const agent = { id: 'agent', role: 'agent' } as const
  const operator = { id: 'operator', role: 'operator' } as const
  const decided = (op: string, verdict: 'allow' | 'ask_user' | 'deny'): EntryBody => ({
    type: 'decided',
    op,
    callId: `call-${op}`,
    tool: 'ui.click',
    kind: 'click',
    setting: { desktop: 'virtual', driver: 'virtual', mode: 'simulation_only' },
    args: { target: 'name="Save"' },
    principal: agent,
    targets: [{ role: 'button', name: 'Save', path: ['Billing', 'Save'], source: 'structure', confidence: 1, why: ['the only match'] }],
    risk: { level: 'low', score: 1, factors: [] },
    decision: { verdict, reason: 'so says the rule', obligations: {} },
    policy: 'p1',
  })
  const done = (op: string, status: 'success' | 'error'): EntryBody =>
    status === 'success'
      ? { type: 'done', op, status, sent: 'all', effect: 'confirmed', via: 'semantic', ms: 12.5 }
      : { type: 'done', op, status, code: 'DENIED', sent: 'none', effect: 'refused', ms: 1 }
  return [
    { type: 'operator', what: 'up', by: operator, detail: { trust: 'advisory' } },
    decided(`${part}-1`, 'allow'),
    { type: 'acting', op: `${part}-1`, steps: ['press'], digest: 'd1' },
    done(`${part}-1`, 'success'),
    decided(`${part}-2`, 'ask_user'),
    { type: 'answered', op: `${part}-2`, approval: 'a1', allow: true, scope: 'once', by: operator, digest: 'd2' },
    { type: 'acting', op: `${part}-2`, steps: ['press', 'type'] },
    done(`${part}-2`, 'success'),
    decided(`${part}-3`, 'deny'),
    done(`${part}-3`, 'error'),
    { type: 'human', from: '2026-01-01T00:00:01.000Z', to: '2026-01-01T00:00:02.000Z', pointerEvents: 3, keyEvents: 1, touched: ['e1'] },
    { type: 'rejected', tool: 'ui.click', principal: agent, code: 'BAD_ARGS', message: 'target is missing' },
    { type: 'operator', what: 'stop', by: operator },
  ]
}

/** Text as it is, other bytes in base64. Sockets stay behind; locks lose what names this machine. */
function save(): void {
  const to = join(import.meta.dirname, 'fixtures', name ?? '')
  rmSync(to, { recursive: true, force: true })
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const file = join(root, path)
    if (!lstatSync(file).isFile() || path.startsWith('.')) continue
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    const isText = Buffer.from(text).equals(bytes) && !text.includes('\0')
    const target = join(to, path.replace(/((?:writer|broker)\.\d+\.\d+)\.[0-9a-f]{8}\.[0-9a-f]{8}\.lock$/, '$1.@host@.@boot@.lock'))
    mkdirSync(dirname(target), { recursive: true })
    if (isText) writeFileSync(target, text)
    else writeFileSync(`${target}.base64`, `${bytes.toString('base64').replaceAll(/.{120}/g, '$&\n')}\n`)
  }
  writeFileSync(join(to, 'facts.json'), `${JSON.stringify({ redacted: { desktop: 'billing', text: redacted }, token }, null, 2)}\n`)
  process.stdout.write(`${relative(process.cwd(), to)}\n`)
}

/** Makes a call that a person is asked about, and answers. */
async function asked(call: object, [verb = '', ...options]: string[]): Promise<void> {
  const caller = start(['call', '--stdin'])
  caller.stdin?.end(`${JSON.stringify(call)}\n`)
  for (;;) {
    const [open] = JSON.parse(run(['approvals', 'list', '--json'])) as { id: string }[]
    if (open !== undefined) {
      run(['approvals', verb, open.id, ...options])
      break
    }
    await sleep(100)
  }
  await ended(caller)
}

async function up(...args: string[]): Promise<ChildProcess> {
  const broker = start(['up', '--json', ...(args.includes('--port') ? [] : ['--no-http']), ...args])
  await new Promise<void>((ready, fail) => {
    broker.stdout?.once('data', () => ready())
    broker.once('exit', (code) => fail(new Error(`up ended with ${code}`)))
  })
  return broker
}

function start(args: string[]): ChildProcess {
  return spawn(process.execPath, [cli, ...args], { env, cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
}

function run(args: string[], input = ''): string {
  if (!existsSync(root)) return ''
  const { stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { env, cwd: root, input, encoding: 'utf8' })
  if (stderr !== '') process.stderr.write(`${args.slice(0, 2).join(' ')}: ${stderr}`)
  return stdout
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
}
