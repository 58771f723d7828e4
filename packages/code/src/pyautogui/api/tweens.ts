import { PYAUTOGUI_EXCEPTION, raise } from '../interp/exceptions.ts'
import { numberArg, parameters, pure, type ApiFunction } from './function.ts'

type Tween = (n: number) => number

/** From an ease-in curve: itself, its ease-out, and both joined as ease-in-out. */
function family(name: string, easeIn: Tween): [string, Tween][] {
  const easeOut: Tween = (n) => 1 - easeIn(1 - n)
  return [
    [`easeIn${name}`, easeIn],
    [`easeOut${name}`, easeOut],
    [`easeInOut${name}`, (n) => (n < 0.5 ? easeIn(n * 2) / 2 : easeOut(n * 2 - 1) / 2 + 0.5)],
  ]
}

function bounceOut(n: number): number {
  for (const [edge, middle, height] of [
    [1, 0, 0],
    [2, 1.5, 0.75],
    [2.5, 2.25, 0.9375],
  ] as const) {
    if (n < edge / 2.75) return 7.5625 * (n - middle / 2.75) ** 2 + height
  }
  return 7.5625 * (n - 2.65 / 2.75) ** 2 + 0.984375
}

const elasticIn =
  (period: number): Tween =>
  (n) =>
    -(2 ** (-10 * (1 - n))) * Math.sin((1 - n - period / 4) * ((2 * Math.PI) / period))
const BACK = 1.70158
const BACK_BOTH = BACK * 1.525

const CURVES: ReadonlyMap<string, Tween> = new Map<string, Tween>([
  ...family('Quad', (n) => n ** 2),
  ...family('Cubic', (n) => n ** 3),
  ...family('Quart', (n) => n ** 4),
  ...family('Quint', (n) => n ** 5),
  ...family('Sine', (n) => 1 - Math.cos((n * Math.PI) / 2)),
  ...family('Expo', (n) => (n === 0 ? 0 : 2 ** (10 * (n - 1)))),
  ...family('Circ', (n) => 1 - Math.sqrt(1 - n * n)),
  ...family('Elastic', elasticIn(0.3)).slice(0, 2),
  ...family('Elastic', elasticIn(0.5)).slice(2),
  ...family('Back', (n) => n * n * ((BACK + 1) * n - BACK)),
  [
    'easeInOutBack',
    (n) =>
      n < 0.5
        ? ((2 * n) ** 2 * ((BACK_BOTH + 1) * 2 * n - BACK_BOTH)) / 2
        : ((2 * n - 2) ** 2 * ((BACK_BOTH + 1) * (2 * n - 2) + BACK_BOTH) + 2) / 2,
  ],
  ...family('Bounce', (n) => 1 - bounceOut(1 - n)),
])

/** Easing functions for pointer movements. */
export const TWEENS: ReadonlyMap<string, ApiFunction> = new Map<string, ApiFunction>([
  [
    'linear',
    pure(parameters('n'), (c) => {
      const n = numberArg(c, 'n')
      if (!(n >= 0 && n <= 1)) throw raise(PYAUTOGUI_EXCEPTION, 'Argument must be between 0.0 and 1.0.')
      return n
    }),
  ],
  ...[...CURVES].map(([name, curve]): [string, ApiFunction] => [name, pure(parameters('n'), (c) => curve(numberArg(c, 'n')))]),
])
