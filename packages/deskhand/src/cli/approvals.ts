import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { DeskhandError } from '@deskhand/core/errors'
import { Scope, type Grant } from '@deskhand/core/model'
import { json, visible } from '@deskhand/core/selector/quote'
import { grantable } from '@deskhand/core/session'
import { terminalOf } from '../broker/terminal.ts'
import { PictureFiles } from './approver/pictures.ts'
import { answered, focused, inView, press, settle, SETTLE_MS, START, update, type Command, type State } from './approver/state.ts'
import { describe, view } from './approver/view.ts'
import type { Common } from './common.ts'
import { operatorClient } from './connect.ts'
import { asOperator } from './operate.ts'
import { inlineImages } from './terminal/image.ts'
import { Terminal } from './terminal/terminal.ts'

const TICK_MS = 1_000
const NOWHERE = { row: 0, column: 0, rows: 0, columns: 0 }

/** Shows what agents ask for as they ask it, and takes a person's answers, until they quit or the broker goes away. */
export async function watch(common: Common): Promise<void> {
  const terminal = new Terminal()
  const client = await operatorClient(common)
  const pictures = new PictureFiles(async (id) => (await client.invoke('approvals.picture', { id })).png)
  const image = inlineImages(process.env)
  terminal.onLeave = pictures.remove
  try {
    await client.invoke('approvals.watch', { pids: terminalOf(process.pid) })
    const { desktop } = await client.invoke('info', {})
    let state: State = START
    const told = new Set<string>()
    const draw = (): void => {
      const { rows, columns } = terminal
      const sheet = { rows, columns, now: Date.now(), desktop, picture: pictures.url(state.selected), inline: image !== undefined }
      const shown = view(state, sheet)
      const png = shown.picture && pictures.png(state.selected)
      terminal.draw(shown.rows, shown.cursor, image?.(png, shown.picture ?? NOWHERE))
      const approval = shown.isLegible ? inView(state) : undefined
      if (approval === undefined || told.has(approval.id)) return
      told.add(approval.id)
      // One that is void by now is gone with the next update.
      client.invoke('approvals.shown', { id: approval.id }).catch(() => {})
    }
    await new Promise<void>((quit, fail) => {
      const guarded = (work: () => Promise<void>) => (): void => void work().catch(fail)
      const refresh = guarded(async () => {
        const waiting = await client.invoke('approvals.list', {})
        if (waiting.some((a) => !state.waiting.some((b) => b.id === a.id))) terminal.bell()
        state = update(state, waiting, Date.now())
        draw()
        await pictures.update(waiting)
        draw()
      })
      const answer = async (command: Extract<Command, { do: 'answer' }>): Promise<void> => {
        const { approval, allow, scope, reason, text } = command
        const outcome = await client.invoke('approvals.answer', { id: approval.id, allow, scope, reason, text, surface: 'terminal' }).then(
          () => answered(command),
          (thrown: unknown) => refused(thrown),
        )
        state = { ...state, message: outcome }
      }
      const act = async (command: Command): Promise<void> => (command.do === 'quit' ? quit() : answer(command).then(refresh))
      const follow = ({ state: next, command }: ReturnType<typeof press>): void => {
        state = next
        draw()
        if (command !== undefined) guarded(() => act(command))()
      }
      terminal.onKey = (key) => {
        follow(press(state, key, Date.now()))
        if (state.typed !== undefined) setTimeout(() => follow(settle(state, Date.now())), SETTLE_MS).unref()
      }
      const moved = (): void => follow({ state: focused(state, Date.now()) })
      terminal.onFocus = moved
      terminal.onResize = moved
      void client.onEvent((event) => (event.type === 'approval' || event.type === 'missed') && refresh()).catch(fail)
      void client.closed.then((why) =>
        fail(
          new DeskhandError(
            'NO_BROKER',
            `the broker went away, and nothing can be answered any more${why === undefined ? '' : ` (${why.message})`}`,
          ),
        ),
      )
      terminal.take()
      const tick = setInterval(draw, TICK_MS)
      tick.unref()
      refresh()
    })
  } finally {
    terminal.restore()
    await client.close()
  }
}

/** A refusal of one answer is told in the view; anything else ends it. */
function refused(thrown: unknown): string {
  const error = DeskhandError.from(thrown)
  if (!['UNKNOWN_OP', 'APPROVAL_EXPIRED', 'NOT_ASKED'].includes(error.code)) throw error
  return error.message
}

export const list = (common: Common, options: { json?: boolean }): Promise<void> =>
  asOperator(common, async (client) => {
    const pending = await client.invoke('approvals.list', {})
    if (options.json) return say(json(pending))
    if (pending.length === 0) return say('nothing waits for an answer')
    for (const approval of pending) {
      say(describe(approval))
      await client.invoke('approvals.shown', { id: approval.id }).catch(() => {})
    }
  })

/** Saves the picture of a question, readable by its owner only. */
export const picture = (common: Common, id: string, file: string): Promise<void> =>
  asOperator(common, async (client) => {
    const { png } = await client.invoke('approvals.picture', { id })
    if (png === undefined)
      throw new DeskhandError('NOT_FOUND', `there is no picture for ${id}`, { next: 'deskhand approvals list shows what waits.' })
    await writeFile(file, png, { mode: 0o600, flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
      throw new DeskhandError('BAD_ARGS', `${file} cannot be written: ${cause.code === 'EEXIST' ? 'it is there already' : cause.message}`)
    })
    say(file)
  })

export const allow = (common: Common, id: string, options: { scope: string; answer?: string }): Promise<void> =>
  asOperator(common, async (client) => {
    const text = options.answer === '-' ? await line() : options.answer
    const scope = Scope.safeParse(options.scope)
    if (!scope.success) throw new DeskhandError('BAD_ARGS', `there is no scope ${options.scope}`, { next: 'Use once, session or app.' })
    const approval = await client.invoke('approvals.answer', { id, allow: true, scope: scope.data, text, surface: 'command' })
    if (approval.question !== undefined) return say('answered')
    const narrowed = scope.data !== 'once' && !grantable(approval, scope.data)
    say(`allowed ${narrowed ? 'once: nothing wider can be granted here' : scope.data}`)
  })

export const deny = (common: Common, id: string, options: { reason?: string }): Promise<void> =>
  asOperator(common, async (client) => {
    await client.invoke('approvals.answer', { id, allow: false, reason: options.reason, surface: 'command' })
    say('denied')
  })

export const listGrants = (common: Common, options: { json?: boolean }): Promise<void> =>
  asOperator(common, async (client) => {
    const grants = await client.invoke('grants.list', {})
    if (options.json) return say(json(grants))
    if (grants.length === 0) return say('no grant holds')
    for (const grant of grants) say(about(grant))
  })

export const revoke = (common: Common, id: string): Promise<void> =>
  asOperator(common, async (client) => say(`revoked ${about(await client.invoke('grants.revoke', { id }))}`))

const about = (g: Grant): string =>
  visible(
    `${g.id}  ${g.principal} may ${g.tools.join(', ')} in ${g.apps.join(', ') || 'any application'} up to ${g.maxRisk} risk, ${g.left} times, until ${g.expiresAt}; given by ${g.by.id}`,
  )

/** The first line of standard input: a password on the command line would be there for everybody to see. */
async function line(): Promise<string> {
  for await (const first of createInterface({ input: process.stdin })) return first
  return ''
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
