import { DeskhandError } from '../../errors.ts'
import type { Cap, Driver, Step } from '../driver.ts'

/** What can be taken away from a driver, to show that it does not depend on it. */
export type Ability = 'semantic' | 'pointer'

const STEPS_OF: Record<Ability, readonly Step['do'][]> = {
  semantic: ['press', 'focus', 'expand', 'collapse', 'select', 'reveal', 'setText', 'setValue'],
  pointer: ['pointer'],
}

/** The same driver, without some of its steps. */
export function limit(driver: Driver, without: Ability): Driver {
  const { observe, act } = driver
  const steps = STEPS_OF[without]
  const reason = `${without} steps are switched off for this run`
  const off: Cap = { ok: false, reason }
  return {
    observe: {
      async info(ctx) {
        const info = await observe.info(ctx)
        return { ...info, can: { ...info.can, ...Object.fromEntries(steps.map((step) => [`step:${step}`, off])) } }
      },
      screens: (ctx) => observe.screens(ctx),
      read: (scope, ctx) => observe.read(scope, ctx),
      changes: (since, waitMs, ctx) => observe.changes(since, waitMs, ctx),
      watch: (of, since, waitMs, ctx) => observe.watch(of, since, waitMs, ctx),
      check: (keys, ctx) => observe.check(keys, ctx),
      hit: (at, ctx) => observe.hit(at, ctx),
      capture: (area, ctx) => observe.capture(area, ctx),
      render: (id, how, ctx) => observe.render(id, how, ctx),
      readClipboard: (ctx) => observe.readClipboard(ctx),
      pointer: (ctx) => observe.pointer(ctx),
      canLaunch: (app, ctx) => observe.canLaunch(app, ctx),
    },
    act: {
      take: (ttlMs, ctx) => act.take(ttlMs, ctx),
      async step(lease, step, guard, ctx) {
        if (steps.includes(step.do)) throw new DeskhandError('NOT_CAPABLE', `${step.do}: ${reason}.`)
        return act.step(lease, step, guard, ctx)
      },
      reply: (id, result, ctx) => act.reply(id, result, ctx),
      drop: (lease) => act.drop(lease),
      stop: () => act.stop(),
    },
    close: () => driver.close(),
  }
}
