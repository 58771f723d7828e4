import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@deskhand/core/model'
import { open, type Opened } from '../wiring/open.ts'

const PAUSE_MS = 400

/** What the scripted agent does: words for the person who watches, and the call. */
const STEPS: readonly [say: string, tool: string, args: unknown][] = [
  ['What is on the screen?', 'ui.snapshot', {}],
  ['A new customer, umlauts and all', 'ui.type', { target: 'name="Customer"', text: 'Jürgen Müller 漢字' }],
  ['The amount', 'ui.type', { target: 'name="Amount"', text: '1234.50' }],
  ['It is paid', 'ui.click', { target: 'name="Already paid"' }],
  ['Save it through the menu', 'ui.click', { target: 'role=menu && name="File"' }],
  ['… and make sure that it was saved', 'ui.click', { target: 'role=menuitem && name="Save"', verify: { text: 'Saved invoices: 1' } }],
  ['A button that is disabled', 'ui.click', { target: 'name="Archive"', timeoutMs: 100 }],
  ['A name that is not there', 'ui.click', { target: 'name="Sav"', timeoutMs: 100 }],
  ['Delete the invoice: this asks a person first', 'ui.click', { target: 'role=menu && name="File"' }],
  ['…', 'ui.click', { target: 'name="Delete invoice"', verify: { window: { dialog: true, appeared: true } } }],
  ['…', 'ui.click', { target: 'role=button && name="Delete"' }],
]

/** A scripted agent at work on the simulated desktop, governed like any other. */
export async function demo(options: { once?: boolean }): Promise<void> {
  const interactive = !options.once && process.stdin.isTTY === true
  const desk = await open({
    config: { policy: { files: [fileURLToPath(new URL('../../demo/policy.toml', import.meta.url))] } },
    approve: (approval) => askPerson(approval.summary, approval.decision.reason, interactive),
  })
  try {
    say('Deskhand: a scripted agent works on a simulated invoice application. Nothing real is touched.\n')
    for (const [words, tool, args] of STEPS) await show(desk, words, tool, args, options.once ? 0 : PAUSE_MS)
    say('\nEvery call above was decided by policy and recorded. Next: deskhand up, deskhand mcp, deskhand call ui.snapshot')
  } finally {
    await desk.close()
  }
}

async function show(desk: Opened, words: string, tool: string, args: unknown, pauseMs: number): Promise<void> {
  say(`\n${bold(words)}\n  ${dim(`${tool} ${JSON.stringify(args)}`)}`)
  await sleep(pauseMs)
  const result = await desk.call(tool, args)
  say(indent(outcome(result)))
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
): Promise<{ allow: boolean; shown: boolean; reason?: string }> {
  if (!interactive) {
    say(indent(`${bold('Approval')}: ${summary}. ${reason}\n-> denied: nobody is at the terminal`))
    return { allow: false, shown: false, reason: 'nobody is at the terminal' }
  }
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(indent(`${bold('Approval')}: ${summary}. ${reason}\nallow? [y/N] `))
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
