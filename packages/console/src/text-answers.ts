import type { Offer } from '@deskhand/core/model'

/** A length of time as a person says it. */
function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return minutes === 60 ? '1 hour' : `${minutes} minute${minutes === 1 ? '' : 's'}`
  return `${Math.round(minutes / 60)} hours`
}

/** Steps by their numbers, neighbours as one range: “step 2”, “steps 1–3, 5”. */
function stepNumbers(steps: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const n of steps) {
    const last = ranges.at(-1)
    if (last?.[1] === n - 1) last[1] = n
    else ranges.push([n, n])
  }
  return `step${steps.length === 1 ? '' : 's'} ${ranges.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(', ')}`
}

/** What calls of a tool are called where a permission is about many. */
const CALLS: Readonly<Record<string, string>> = {
  'ui.click': 'clicks',
  'ui.type': 'typing',
  'ui.key': 'key presses',
  'ui.set': 'changes of values',
  'ui.scroll': 'scrolling',
  'ui.drag': 'drags',
  'ui.window': 'changes of windows',
  'desktop.launch': 'starts of programs',
}
const RISKS: Readonly<Record<Offer['maxRisk'], string>> = {
  low: 'low-risk',
  medium: 'low- and medium-risk',
  high: 'risky',
  prohibited: 'risky',
}
const calls = ({ tools, maxRisk, seconds }: Offer, apps: string): string =>
  `${RISKS[maxRisk]} ${tools.map((tool) => CALLS[tool] ?? `${tool} calls`).join(', ')} in ${apps === '' ? 'every application' : apps}, ${duration(seconds)}`
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The answers to a question. */
export const ANSWERS = {
  once: 'Allow once',
  more: 'Allow for longer…',
  steps: (covered: readonly number[]) => (covered.length === 0 ? 'Allow' : `Allow ${stepNumbers(covered)}`),
  longer: (offer: Offer, apps: string) => capital(calls(offer, apps)),
  open: (covered: readonly number[], offer: Offer, apps: string) =>
    covered.length === 0 ? `Later ${calls(offer, apps)}` : `${capital(stepNumbers(covered))}, and later ${calls(offer, apps)}`,
  deny: 'Deny',
  back: 'Back',
  close: 'Close without an answer',
  reply: 'Answer',
  denyWhy: 'Reason, which the agent reads (optional)',
} as const

/** What an answer covers, said before it is given. */
export const COVERS = {
  once: 'Applies to this one call only. Cancelled if the element or what is around it changes.',
  deny: 'It is not done. The agent reads your reason and goes on; it may ask for something else.',
  offer: ({ tools, maxRisk, count, seconds }: Offer, apps: string) =>
    `${tools.join(', ')} in ${apps === '' ? 'every application of this session' : apps}, up to ${maxRisk} risk, ${count} ${count === 1 ? 'time' : 'times'}, for ${duration(seconds)}. You can revoke it in Policy.`,
  everyTime: 'High risk is asked about every time: no answer covers more than this call.',
  plan: (covered: readonly number[], steps: number) =>
    covered.length === steps
      ? `Covers ${steps === 1 ? 'this step, once' : `these ${steps} steps, each once and in this order`}.`
      : `Covers ${covered.length} of these ${steps} steps, each once and in this order. The others say what they need.`,
  reply: 'Your answer goes to the script that asks, and nowhere else.',
} as const
