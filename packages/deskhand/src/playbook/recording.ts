import { quote } from '@deskhand/core/selector/quote'
import type { PlaybookInput } from './format.ts'
import { SELECTORS, TEXTS } from './parameters.ts'

type Step = PlaybookInput['step'][number]

/** Arguments in which what stood in braces stays what it is. */
export function escapeBraces(args: Record<string, unknown>): Record<string, unknown> {
  return mapTexts(args, (text) => text.replaceAll(/\{(\w+)\}/g, '{{$1}}'))
}

/** The step with parameters in place of the texts that they were recorded with; `onUse` hears of each that stands in it. */
export function fillIn(step: Step, given: ReadonlyMap<string, string>, onUse: (name: string) => void): Step {
  // All at once and the longest first: what stands for one text is no place for another.
  const texts = [...given].toSorted(([, a], [, b]) => b.length - a.length)
  const fill = (text: string, isSelector: boolean): string => {
    const names = new Map(texts.map(([name, value]) => [isSelector ? quote(value).slice(1, -1) : value, name]))
    if (names.size === 0) return text
    return text.replaceAll(new RegExp([...names.keys()].map(escaped).join('|'), 'g'), (found) => {
      const name = names.get(found) ?? ''
      onUse(name)
      return `{${name}}`
    })
  }
  return { ...step, args: mapTexts(step.args ?? {}, fill) }
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

function mapTexts(args: Record<string, unknown>, change: (text: string, isSelector: boolean) => string): Record<string, unknown> {
  const map = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return SELECTORS.has(key) || TEXTS.has(key) ? change(value, SELECTORS.has(key)) : value
    if (Array.isArray(value)) return value.map((one) => map(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, map(v, k)]))
  }
  return map(args, '') as Record<string, unknown>
}
