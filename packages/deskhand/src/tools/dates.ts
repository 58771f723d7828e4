import { DeskhandError } from '@deskhand/core/errors'
import type { ElementNode, Result } from '@deskhand/core/model'
import { inside } from './found.ts'
import type { Perform } from './tool.ts'

/** Enters a date number by number, where a page has a field for each; undefined where it has not. */
export function enterParts(act: Perform, control: ElementNode, value: string): Promise<Result> | undefined {
  const parts = dateParts(control, value)
  if (parts === undefined) return undefined
  return inTurn(
    parts.map(
      ({ target, text }) =>
        () =>
          act('type', { target, text, mode: 'replace' }),
    ),
  )
}

/** A date of a page consists of a number each for year, month and day. */
export function dateParts(control: ElementNode, value: string): { target: string; text: string; held?: string }[] | undefined {
  const date = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(value)
  const numbers = [...inside(control)].filter((part) => part.role === 'spinbutton')
  if (date === null || numbers.length < 3) return undefined
  const order: [RegExp, string | undefined][] = [
    [/day/i, date[3]],
    [/month/i, date[2]],
    [/year/i, date[1]],
  ]
  return order.flatMap(([name, text]) => {
    const part = numbers.find((n) => name.test(n.name ?? ''))
    return part === undefined || text === undefined ? [] : [{ target: part.id, text, held: part.value }]
  })
}

async function inTurn(steps: readonly (() => Promise<Result>)[]): Promise<Result> {
  let last: Result | undefined
  for (const step of steps) {
    last = await step()
    if (last.error !== undefined) break
  }
  if (last === undefined) throw new DeskhandError('NOT_CAPABLE', 'this date does not say where its day, month and year are')
  return last
}

/**
 * Enters a date or a time into a field of Qt, which takes the digits of one number after the other and goes on by itself: with the first
 * number selected. Undefined where the value is not written as the field writes its own.
 */
export async function enterDigits(act: Perform, { id, value: held = '' }: ElementNode, value: string): Promise<Result | undefined> {
  const [own, wanted] = [held, value].map((text) => text.match(/\d+/g) ?? [])
  if (own === undefined || wanted === undefined || own.length < 2) return undefined
  if (own.map((n) => n.length).join() !== wanted.map((n) => n.length).join()) return undefined
  const first = Array<string>(own[0]?.length ?? 0).fill('shift+ArrowRight')
  return inTurn([
    () => act('click', { target: id }),
    () => act('key', { keys: ['Home', ...first] }),
    () => act('type', { text: wanted.join('') }),
    () => act('key', { keys: 'Tab' }),
  ])
}
