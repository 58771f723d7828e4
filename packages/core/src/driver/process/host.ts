import type { Duplex } from 'node:stream'
import type { z } from 'zod'
import { DeskhandError } from '../../errors.ts'
import type { Ctx, Driver } from '../driver.ts'
import { DRIVER_PROTOCOL, METHODS as M, type Method } from '../wire/methods.ts'
import { type CallOptions, Link } from '../wire/link.ts'

export interface ServedDriver {
  /** When the link has ended, the driver has stopped and closed: time for the process to exit. Tells why the link ended. */
  ended: Promise<DeskhandError | undefined>
  close(reason?: DeskhandError): Promise<void>
}

/** How long a driver may take to stop, and then to close, once its link is gone. */
const STOP_MS = 2000
const CLOSE_MS = 3000
/** What has no deadline of its own. */
const RELEASE_MS = 5000

/** The half in the driver's process: answers for the driver, and stops it when the link ends, for any reason. */
export function serveDriver(opening: Driver | Promise<Driver>, stream: Duplex): ServedDriver {
  const driver = Promise.resolve(opening)
  const link = new Link(stream, { protocol: DRIVER_PROTOCOL })
  const answer = <P, R>(method: Method<P, R>, run: (driver: Driver, params: P, ctx: Ctx) => Promise<R | void>): void => {
    link.handle(method.name, async (params, ctx) =>
      run(await driver, parse(method.params, params, 'BAD_ARGS', `${method.name} was called with`), ctx),
    )
  }
  answer(M.info, ({ observe }, _, ctx) => observe.info(ctx))
  answer(M.screens, ({ observe }, _, ctx) => observe.screens(ctx))
  answer(M.read, ({ observe }, { scope }, ctx) => observe.read(scope, ctx))
  answer(M.changes, ({ observe }, { since, waitMs }, ctx) => observe.changes(since, waitMs, ctx))
  answer(M.watch, ({ observe }, { of, since, waitMs }, ctx) => observe.watch(of, since, waitMs, ctx))
  answer(M.check, ({ observe }, { keys }, ctx) => observe.check(keys, ctx))
  answer(M.hit, ({ observe }, { at }, ctx) => observe.hit(at, ctx))
  answer(M.capture, ({ observe }, { area }, ctx) => observe.capture(area, ctx))
  answer(M.render, ({ observe }, { id, how }, ctx) => observe.render(id, how, ctx))
  answer(M.readClipboard, ({ observe }, _, ctx) => observe.readClipboard(ctx))
  answer(M.pointer, ({ observe }, _, ctx) => observe.pointer(ctx))
  answer(M.canLaunch, ({ observe }, { app }, ctx) => observe.canLaunch(app, ctx))
  answer(M.take, ({ act }, { ttlMs }, ctx) => act.take(ttlMs, ctx))
  answer(M.step, ({ act }, { lease, step, guard }, ctx) => act.step(lease, step, guard, ctx))
  answer(M.reply, ({ act }, { id, result }, ctx) => act.reply(id, result, ctx))
  answer(M.drop, ({ act }, { lease }) => act.drop(lease))
  answer(M.stop, ({ act }) => act.stop())
  driver.catch((thrown: unknown) => link.close(DeskhandError.from(thrown)))
  const ended = link.closed.then(async (reason) => {
    await bounded(
      STOP_MS,
      driver.then((d) => d.act.stop()),
    )
    await bounded(
      CLOSE_MS,
      driver.then((d) => d.close()),
    )
    return reason
  })
  return { ended, close: (reason) => link.close(reason) }
}

/** The half in the broker's process: a driver like any other. What does not fit the schemas is a PROTOCOL error. */
export function remoteDriver(stream: Duplex | Link): Driver {
  const link = stream instanceof Link ? stream : new Link(stream, { protocol: DRIVER_PROTOCOL })
  const ask = async <P, R>(method: Method<P, R>, params: P, options: CallOptions): Promise<R> =>
    parse(method.result, await link.call(method.name, params, options), 'PROTOCOL', `${method.name} was answered with`)
  const release = { deadlineMs: RELEASE_MS, urgent: true }
  return {
    observe: {
      info: (ctx) => ask(M.info, null, ctx),
      screens: (ctx) => ask(M.screens, null, ctx),
      read: (scope, ctx) => ask(M.read, { scope }, ctx),
      changes: (since, waitMs, ctx) => ask(M.changes, { since, waitMs }, ctx),
      watch: (of, since, waitMs, ctx) => ask(M.watch, { of, since, waitMs }, ctx),
      check: (keys, ctx) => ask(M.check, { keys }, ctx),
      hit: (at, ctx) => ask(M.hit, { at }, ctx),
      capture: (area, ctx) => ask(M.capture, { area }, ctx),
      render: (id, how, ctx) => ask(M.render, { id, how }, ctx),
      readClipboard: (ctx) => ask(M.readClipboard, null, ctx),
      pointer: (ctx) => ask(M.pointer, null, ctx),
      canLaunch: (app, ctx) => ask(M.canLaunch, { app }, ctx),
    },
    act: {
      take: (ttlMs, ctx) => ask(M.take, { ttlMs }, ctx),
      step: (lease, step, guard, ctx) => ask(M.step, { lease, step, guard }, ctx),
      reply: async (id, result, ctx) => void (await ask(M.reply, { id, result }, ctx)),
      drop: async (lease) => void (await ask(M.drop, { lease }, release)),
      stop: async () => void (await ask(M.stop, null, release)),
    },
    close: () => link.close(),
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown, code: 'BAD_ARGS' | 'PROTOCOL', what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new DeskhandError(code, `${what} something that does not fit: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}.`)
}

/** Waits for a clean-up, but not forever; its failure is ignored. */
async function bounded(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work.catch(() => {}), new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
