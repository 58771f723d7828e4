import { AssertionError } from 'node:assert'
import { DeskhandError } from '@deskhand/core/errors'
import type { Condition } from '@deskhand/core/model'
import type { Desk } from '../sdk/desk.ts'
import { Locator } from '../sdk/locator.ts'
import { mustKnow } from './known-options.ts'

export interface AssertionOptions {
  /** How long to wait; when left out, as long as the locator does, 5,000 for a desktop. */
  timeoutMs?: number
}

const DESK_MS = 5_000

type UiState = Omit<NonNullable<Condition['uiState']>, 'target'>
const of = (selector: string, state: UiState): Condition => ({ uiState: { target: { selector }, ...state } })
const all = (...conditions: Condition[]): Condition => ({ not: { any: conditions.map((not) => ({ not })) } })

/** What can be said of an element: the condition that each assertion waits for. */
const OF_LOCATOR = {
  toBePresent: (s: string) => of(s, { present: true }),
  toBeVisible: (s: string) => of(s, { visible: true }),
  toBeEnabled: (s: string) => of(s, { enabled: true }),
  toBeDisabled: (s: string) => of(s, { enabled: false }),
  toBeChecked: (s: string) => of(s, { checked: true }),
  toBeSelected: (s: string) => of(s, { selected: true }),
  toBeExpanded: (s: string) => of(s, { expanded: true }),
  toBeFocused: (s: string) => of(s, { focused: true }),
  toHaveName: (s: string, name: string) => of(s, { name }),
  toHaveValue: (s: string, value: string) => of(s, { value }),
  toContainValue: (s: string, part: string) => of(s, { valueContains: part }),
  toHaveCount: (s: string, count: number) => {
    const noMore = of(`${s} >> nth=${count}`, { present: false })
    return count === 0 ? of(s, { present: false }) : all(of(`${s} >> nth=${count - 1}`, { present: true }), noMore)
  },
}

const OF_DESK = {
  /** A window with exactly this title. */
  toShowWindow: (_: string, title: string): Condition => ({ window: { title } }),
  /** This text, anywhere where it can be seen. */
  toShowText: (_: string, text: string): Condition => ({ text: { contains: text } }),
}

type Assertions<T> = {
  [M in keyof T]: T[M] extends (s: string, ...args: infer A) => Condition
    ? (...args: [...A, options?: AssertionOptions]) => Promise<void>
    : never
}
type Expectation<T> = Assertions<T> & { not: Assertions<T> }

/**
 * Assertions that wait, for any test runner: `await expect(desk.get('name="Total"')).toHaveValue('12.00')`. Each looks again after every
 * change; when its time is over, it throws an `AssertionError` that says what was there instead.
 */
export function expect(on: Locator): Expectation<typeof OF_LOCATOR>
export function expect(on: Desk): Expectation<typeof OF_DESK>
export function expect(on: Locator | Desk): object {
  const table: Record<string, (s: string, ...args: never[]) => Condition> = on instanceof Locator ? OF_LOCATOR : OF_DESK
  const assertions = (isNot: boolean): object =>
    Object.fromEntries(
      Object.entries(table).map(([name, condition]) => {
        const assertion = async (...given: unknown[]): Promise<void> => {
          const selector = on instanceof Locator ? on.selector : ''
          const args = given.slice(0, condition.length - 1) as never[]
          const options = optionsIn(name, given.slice(args.length))
          const wrong = await failure(on, isNot ? opposite(condition(selector, ...args)) : condition(selector, ...args), options)
          if (wrong === undefined) return
          const said = `expect(${selector || 'desk'})${isNot ? '.not' : ''}.${name}(${args.map((a) => JSON.stringify(a)).join(', ')})`
          const told = on instanceof Locator && name === 'toHaveCount' ? `${await on.count()} are there` : wrong
          throw new AssertionError({ message: `${said}: ${told}`, operator: name, stackStartFn: assertion })
        }
        return [name, assertion]
      }),
    )
  return { ...assertions(false), not: assertions(true) }
}

/** What follows an assertion's own arguments. */
function optionsIn(name: string, [options = {}, ...rest]: unknown[]): AssertionOptions {
  if (typeof options !== 'object' || options === null || rest.length > 0)
    throw new DeskhandError('BAD_ARGS', `${name} was given too much`, { next: 'What follows its own arguments is { timeoutMs }.' })
  mustKnow(options, ['timeoutMs'], name)
  return options
}

/** Why the condition does not come to hold in time. */
async function failure(on: Locator | Desk, until: Condition, options: AssertionOptions): Promise<string | undefined> {
  const { desk, timeoutMs } = on instanceof Locator ? on : { desk: on, timeoutMs: DESK_MS }
  const { error } = await desk.call('ui.wait', { until, timeoutMs: options.timeoutMs ?? timeoutMs })
  if (error !== undefined && error.code !== 'TIMEOUT') throw DeskhandError.revive(error)
  return error?.message
}

/** That none is there may be said of any number; a plain `not` would be about one. */
const opposite = (condition: Condition): Condition =>
  condition.uiState?.present === undefined ? { not: condition } : { uiState: { ...condition.uiState, present: !condition.uiState.present } }
