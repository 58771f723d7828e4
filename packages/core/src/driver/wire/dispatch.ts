import type { z } from 'zod'
import { DeskhandError, schemaProblem } from '../../errors.ts'
import type { Ctx, Driver } from '../driver.ts'
import { METHODS as M, type Method } from './methods.ts'

export type DriverMethod = keyof typeof M

type Answer = (driver: Driver, params: unknown, ctx: Ctx) => Promise<unknown>

/** One method as the driver's side answers it, with the parameters checked. */
const on =
  <P, R>(method: Method<P, R>, run: (driver: Driver, params: P, ctx: Ctx) => Promise<R | void>): Answer =>
  (driver, params, ctx) =>
    run(driver, parse(method.params, params, 'BAD_ARGS', `${method.name} was called with`), ctx)

/** What each method of the protocol is to a driver. */
export const ANSWERS: Readonly<Record<DriverMethod, Answer>> = {
  info: on(M.info, ({ observe }, _, ctx) => observe.info(ctx)),
  screens: on(M.screens, ({ observe }, _, ctx) => observe.screens(ctx)),
  read: on(M.read, ({ observe }, { scope }, ctx) => observe.read(scope, ctx)),
  changes: on(M.changes, ({ observe }, { since, waitMs }, ctx) => observe.changes(since, waitMs, ctx)),
  watch: on(M.watch, ({ observe }, { of, since, waitMs }, ctx) => observe.watch(of, since, waitMs, ctx)),
  check: on(M.check, ({ observe }, { keys }, ctx) => observe.check(keys, ctx)),
  hit: on(M.hit, ({ observe }, { at }, ctx) => observe.hit(at, ctx)),
  capture: on(M.capture, ({ observe }, { area }, ctx) => observe.capture(area, ctx)),
  render: on(M.render, ({ observe }, { id, how }, ctx) => observe.render(id, how, ctx)),
  readClipboard: on(M.readClipboard, ({ observe }, _, ctx) => observe.readClipboard(ctx)),
  pointer: on(M.pointer, ({ observe }, _, ctx) => observe.pointer(ctx)),
  canLaunch: on(M.canLaunch, ({ observe }, { app }, ctx) => observe.canLaunch(app, ctx)),
  take: on(M.take, ({ act }, { ttlMs }, ctx) => act.take(ttlMs, ctx)),
  step: on(M.step, ({ act }, { lease, step, guard }, ctx) => act.step(lease, step, guard, ctx)),
  reply: on(M.reply, ({ act }, { id, result }, ctx) => act.reply(id, result, ctx)),
  drop: on(M.drop, ({ act }, { lease }) => act.drop(lease)),
  stop: on(M.stop, ({ act }) => act.stop()),
}

/** How a method that has no context of its own is asked; `urgent` calls go before those that wait. */
export interface AskOptions {
  deadlineMs: number
  signal?: AbortSignal
  urgent?: boolean
}

/** What has no deadline of its own. */
const RELEASE_MS = 5000

/** A driver whose answers come from elsewhere. What does not fit the schemas is a PROTOCOL error. */
export function driverOver(send: (method: DriverMethod, params: unknown, options: AskOptions) => Promise<unknown>): Omit<Driver, 'close'> {
  const ask = async <P, R>(name: DriverMethod, method: Method<P, R>, params: P, options: AskOptions): Promise<R> =>
    parse(method.result, await send(name, params, options), 'PROTOCOL', `${name} was answered with`)
  const release = { deadlineMs: RELEASE_MS, urgent: true }
  return {
    observe: {
      info: (ctx) => ask('info', M.info, null, ctx),
      screens: (ctx) => ask('screens', M.screens, null, ctx),
      read: (scope, ctx) => ask('read', M.read, { scope }, ctx),
      changes: (since, waitMs, ctx) => ask('changes', M.changes, { since, waitMs }, ctx),
      watch: (of, since, waitMs, ctx) => ask('watch', M.watch, { of, since, waitMs }, ctx),
      check: (keys, ctx) => ask('check', M.check, { keys }, ctx),
      hit: (at, ctx) => ask('hit', M.hit, { at }, ctx),
      capture: (area, ctx) => ask('capture', M.capture, { area }, ctx),
      render: (id, how, ctx) => ask('render', M.render, { id, how }, ctx),
      readClipboard: (ctx) => ask('readClipboard', M.readClipboard, null, ctx),
      pointer: (ctx) => ask('pointer', M.pointer, null, ctx),
      canLaunch: (app, ctx) => ask('canLaunch', M.canLaunch, { app }, ctx),
    },
    act: {
      take: (ttlMs, ctx) => ask('take', M.take, { ttlMs }, ctx),
      step: (lease, step, guard, ctx) => ask('step', M.step, { lease, step, guard }, ctx),
      reply: async (id, result, ctx) => void (await ask('reply', M.reply, { id, result }, ctx)),
      drop: async (lease) => void (await ask('drop', M.drop, { lease }, release)),
      stop: async () => void (await ask('stop', M.stop, null, release)),
    },
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown, code: 'BAD_ARGS' | 'PROTOCOL', what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new DeskhandError(code, `${what} something that does not fit: ${schemaProblem(parsed.error, 'the whole')}.`)
}
