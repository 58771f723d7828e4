import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DeskhandError } from '@deskhand/core/errors'
import type { Approval, Result } from '@deskhand/core/model'
import type { BrokerClient } from '../broker/client.ts'
import { connect } from '../sdk/connect.ts'
import { open, type Opened } from '../wiring/open.ts'

const POLICY = fileURLToPath(new URL('../../demo/policy.toml', import.meta.url))
const UI = fileURLToPath(new URL('../../demo/office.ui.json', import.meta.url))
const PAUSE_MS = 400
/** Slow enough to be watched in the console. */
const WATCHED_MS = 2_500
/** How often it is looked whether a question waits. */
const LOOK_MS = 300
/** How long the demo waits for a person. */
const ANSWER_MS = 10 * 60_000

/** What the scripted agent does: words for the person who watches, and the call; the last thing only where the call before it was refused. */
const STEPS: readonly [say: string, tool: string, args: unknown, isAmends?: 'if refused'][] = [
  ['What is on the screen?', 'ui.snapshot', {}],
  ['Delete an invoice: this asks a person first', 'ui.click', { target: 'role=menu && name="File"' }],
  ['…', 'ui.click', { target: 'name="Delete invoice"', verify: { window: { dialog: true, appeared: true } } }],
  ['…', 'ui.click', { target: 'role=button && name="Delete"' }],
  ['It may not, and goes on', 'ui.click', { target: 'role=button && name="Cancel"' }, 'if refused'],
  ['A new customer, umlauts and all', 'ui.type', { target: 'name="Customer"', text: 'Jürgen Müller 漢字' }],
  ['The amount', 'ui.type', { target: 'name="Amount"', text: '1234.50' }],
  ['It is paid', 'ui.click', { target: 'name="Already paid"' }],
  ['Save it through the menu', 'ui.click', { target: 'role=menu && name="File"' }],
  ['… and make sure that it was saved', 'ui.click', { target: 'role=menuitem && name="Save"', verify: { text: 'Saved invoices: 1' } }],
  ['A button that is disabled', 'ui.click', { target: 'name="Archive"', timeoutMs: 100 }],
  ['A name that is not there', 'ui.click', { target: 'name="Sav"', timeoutMs: 100 }],
]

/**
 * A scripted agent at work on the simulated desktop, governed like any other. A person watches it in the console and answers there;
 * with `once` it runs to its end in the terminal alone.
 */
export async function demo(options: { once?: boolean }): Promise<void> {
  if (options.once || process.stdout.isTTY !== true) return inTerminal(options)
  const state = mkdtempSync(join(tmpdir(), 'deskhand-demo-'))
  const server = await serve(state)
  try {
    say(`Deskhand: a scripted agent works on a simulated invoice application. Nothing real is touched.\n`)
    say(`${bold('Watch it, and answer its question, in the console:')}\n\n  ${server.open}\n`)
    openBrowser(server.open)
    const here = await connect({ state, as: 'operator' })
    const desk = await connect({ state })
    const answering = answerHere(here)
    await work(desk, WATCHED_MS)
    await desk.close()
    await here.close()
    await answering
    say('\nThe console stays until you press Ctrl-C. Next: deskhand up --desktop sandbox, deskhand mcp, deskhand call ui.snapshot')
    await server.ended
  } finally {
    server.end()
    await server.ended
    rmSync(state, { recursive: true, force: true })
  }
}

async function inTerminal(options: { once?: boolean }): Promise<void> {
  const interactive = !options.once && process.stdin.isTTY === true
  const desk = await open({
    config: { policy: { files: [POLICY] }, desktop: { ui: UI } },
    approve: (approval) => askPerson(approval.summary, approval.decision.reason, interactive),
  })
  try {
    say('Deskhand: a scripted agent works on a simulated invoice application. Nothing real is touched.\n')
    await work(desk, options.once ? 0 : PAUSE_MS)
    say('\nEvery call above was decided by policy and recorded. Next: deskhand up, deskhand mcp, deskhand call ui.snapshot')
  } finally {
    await desk.close()
  }
}

/** The server with the console, in a process and a state folder of its own. */
async function serve(state: string): Promise<{ open: string; ended: Promise<unknown>; end(): void }> {
  const args = [process.argv[1] ?? '', 'up', '--json', '--port', '0', '--desktop', 'virtual', '--ui', UI, '--policy', POLICY]
  const child = spawn(process.execPath, args, { env: { ...process.env, DESKHAND_STATE: state }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const end = (): void => void child.kill('SIGTERM')
  process.once('SIGINT', end)
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line') as Promise<[string]>, ended.then(() => undefined)])
  if (first === undefined) throw new DeskhandError('INTERNAL', 'the server did not come up', { next: 'Run: deskhand up' })
  return { open: (JSON.parse(first[0]) as { open: string }).open, ended, end }
}

/** The person can answer in this terminal as well as in the console, which may not have opened; the first answer wins. */
async function answerHere(operator: BrokerClient): Promise<void> {
  let isOver = false
  void operator.closed.then(() => (isOver = true))
  const waiting = (): Promise<readonly Approval[]> => operator.invoke('approvals.list', {}).catch(() => [])
  const known = new Set<string>()
  while (!isOver) {
    const next = (await waiting()).find(({ id }) => !known.has(id))
    if (next === undefined) {
      await sleep(LOOK_MS)
      continue
    }
    const { id, summary, decision } = next
    known.add(id)
    await operator.invoke('approvals.shown', { id }).catch(() => {})
    const answered = new AbortController()
    const watch = setInterval(() => void waiting().then((all) => all.some((a) => a.id === id) || answered.abort()), LOOK_MS)
    const answer = await askPerson(summary, decision.reason, true, answered.signal)
    clearInterval(watch)
    if (answered.signal.aborted) say(indent('-> answered elsewhere'))
    else await operator.invoke('approvals.answer', { id, allow: answer.allow, reason: answer.reason, surface: 'terminal' }).catch(() => {})
  }
}

/** Where there is a desktop to open it on; nothing is lost where that fails, as the link was printed. */
function openBrowser(link: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? []
  if (command === undefined || (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])) return
  spawn(command, [...args, link], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

async function work(desk: Pick<Opened, 'call'>, pauseMs: number): Promise<void> {
  let isRefused = false
  for (const [words, tool, args, amends] of STEPS) {
    if (amends === 'if refused' && !isRefused) continue
    say(`\n${bold(words)}\n  ${dim(`${tool} ${JSON.stringify(args)}`)}`)
    await sleep(pauseMs)
    const result = await desk.call(tool, args, { waitMs: ANSWER_MS })
    isRefused = result.error !== undefined
    say(indent(outcome(result)))
  }
}

function outcome(r: Result): string {
  if (r.error !== undefined) return `${red(r.error.code)}: ${r.error.message}\n${dim(`next: ${r.error.next}`)}`
  const decided = dim(`${r.decision?.verdict} (${r.risk?.level} risk)`)
  return r.text ?? `${green(r.effect)} ${r.via === undefined ? '' : `via ${r.via} `}${decided}`
}

async function askPerson(
  summary: string,
  reason: string,
  interactive: boolean,
  signal?: AbortSignal,
): Promise<{ allow: boolean; shown: boolean; reason?: string }> {
  if (!interactive) {
    say(indent(`${bold('Approval')}: ${summary}. ${reason}\n-> denied: nobody is at the terminal`))
    return { allow: false, shown: false, reason: 'nobody is at the terminal' }
  }
  const { createInterface: ask } = await import('node:readline/promises')
  const terminal = ask({ input: process.stdin, output: process.stdout })
  const words = indent(`${bold('Approval')}: ${summary}. ${reason}\nallow? [y/N] `)
  const answer = await (signal === undefined ? terminal.question(words) : terminal.question(words, { signal }).catch(() => ''))
  terminal.close()
  return /^y/i.test(answer) ? { allow: true, shown: true } : { allow: false, shown: true, reason: 'the person at the terminal said no' }
}

const colour =
  (code: number) =>
  (s: string): string =>
    process.stdout.isTTY ? `\u001B[${code}m${s}\u001B[0m` : s
const bold = colour(1)
const dim = colour(2)
const red = colour(31)
const green = colour(32)
const indent = (s: string): string => s.replaceAll(/^/gm, '  ')
const say = (s: string): void => void process.stdout.write(`${s}\n`)
