import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Approval, Principal } from '@deskhand/core/model'
import type { ServedDesktop } from './desktop.ts'
import type { Log } from './log.ts'

/** Whom news is told, and how much of it. */
export interface NotifyOptions {
  /** A program that gets the news as JSON on its standard input. */
  command?: readonly string[]
  /** Where the news is sent to. */
  url?: string
  /** With it the news is signed: x-deskhand-signature is the HMAC-SHA256 of `<x-deskhand-time>.<body>`. */
  secret?: string
  /** Whether the news says what is asked, and not only that something is. */
  contents: boolean
}

interface News {
  type: 'question'
  desktop: string
  id: string
  askedAt: string
  expiresAt: string
  /** Where it can be answered, by those who may. */
  url: string
  tool?: string
  summary?: string
  risk?: string
}

/** How long is waited before each try. */
const TRIES_MS: readonly number[] = [0, 1_000, 5_000, 25_000]
const ONE_TRY_MS = 10_000
/** News on its way; more questions than this at once are told in the console only. */
const MOST_UNDER_WAY = 32
/** In whose name a question counts as before a person, once the news of it was delivered. */
const MESSENGER: Principal = { id: 'messenger', role: 'operator' }

/** Tells people who are away that a question waits, in all these ways, until the desktop ends. The question's time runs from when the first of them delivered it. */
export async function tellOfQuestions(
  desktop: ServedDesktop,
  url: string,
  ways: readonly NotifyOptions[],
  log: Log,
  signal: AbortSignal,
  tries = TRIES_MS,
): Promise<void> {
  let underWay = 0
  for await (const { event } of desktop.feed.subscribe(undefined, signal)) {
    if (event.type !== 'approval' || event.state !== 'asked') continue
    const { approval } = event
    if (underWay >= MOST_UNDER_WAY) {
      log.error(`the news of question ${approval.id} was not sent: ${underWay} are under way`)
      continue
    }
    underWay++
    const told = ways.flatMap((way) => deliveries(way, JSON.stringify(newsOf(desktop.name, url, approval, way.contents))))
    const delivered = (): unknown => desktop.invoke('approvals.shown', { id: approval.id }, MESSENGER).catch(() => {})
    void Promise.all(
      told.map((delivery) => deliver(delivery, approval.id, tries, log, signal).then((isTold) => isTold && delivered())),
    ).finally(() => underWay--)
  }
}

function newsOf(desktop: string, url: string, { id, askedAt, expiresAt, tool, summary, risk }: Approval, contents: boolean): News {
  const bare: News = { type: 'question', desktop, id, askedAt, expiresAt, url }
  return contents ? { ...bare, tool, summary, risk: risk.level } : bare
}

interface Delivery {
  to: string
  send(): Promise<void>
}

const deliveries = ({ command, url, secret }: NotifyOptions, news: string): Delivery[] => [
  ...(command === undefined ? [] : [{ to: command[0] ?? '', send: () => run(command, news) }]),
  ...(url === undefined ? [] : [{ to: url, send: () => post(url, news, secret) }]),
]

/** Whether it got there in the end. */
async function deliver({ to, send }: Delivery, id: string, tries: readonly number[], log: Log, signal: AbortSignal): Promise<boolean> {
  for (const wait of tries) {
    try {
      await sleep(wait, undefined, { signal })
      await send()
      return true
    } catch (thrown) {
      if (signal.aborted) return false
      log.error(`the news of question ${id} did not reach ${to}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  return false
}

async function post(url: string, body: string, secret: string | undefined): Promise<void> {
  const time = String(Math.floor(Date.now() / 1000))
  const signature = secret === undefined ? undefined : createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-deskhand-time': time,
    ...(signature && { 'x-deskhand-signature': `sha256=${signature}` }),
  }
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: AbortSignal.timeout(ONE_TRY_MS) })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
}

function run([program = '', ...args]: readonly string[], input: string): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: ONE_TRY_MS })
    child.once('error', fail)
    child.once('exit', (code) => (code === 0 ? done() : fail(new Error(`it ended with ${code}`))))
    child.stdin.on('error', () => {})
    child.stdin.end(`${input}\n`)
  })
}
