import type { CapName, Step } from '../driver.ts'
import type { ContractDesk } from './contract-desk.ts'
import { expect, TextWith } from './expect.ts'

/** What cannot be done must be refused with NOT_CAPABLE and the declared reason, and not merely fail somehow. */
export async function refuses(desk: ContractDesk, cap: CapName): Promise<string> {
  const declared = desk.info.can[cap]
  const reason = declared.ok ? desk.refuses[cap] : declared.reason
  if (reason === undefined) throw new Error(`${cap} is no gap`)
  const refusal = attempt(desk, cap)
  if (refusal) await expect(refusal).rejects.toMatchObject({ code: 'NOT_CAPABLE', message: new TextWith(reason) })
  return `${cap}: ${reason}`
}

function attempt(desk: ContractDesk, cap: CapName): Promise<unknown> | undefined {
  const { observe } = desk.driver
  switch (cap) {
    case 'tree':
      return observe.read({}, desk.ctx)
    case 'hit':
      return observe.hit({ x: 1, y: 1 }, desk.ctx)
    case 'capture':
      return observe.capture({}, desk.ctx)
    case 'clipboard':
      return observe.readClipboard(desk.ctx)
    case 'push':
    case 'humanInput':
      return undefined
    default:
      return desk.leased(async (lease) => desk.step(lease, await sample(desk, cap)))
  }
}

/** A step of the kind that would make sense if it were possible. */
async function sample(
  desk: ContractDesk,
  cap: Exclude<CapName, 'tree' | 'push' | 'hit' | 'capture' | 'clipboard' | 'humanInput'>,
): Promise<Step> {
  const key = desk.can('tree') && desk.mustShow ? (await desk.part('button')).key : 'any'
  switch (cap) {
    case 'step:press':
      return { do: 'press', key }
    case 'step:focus':
      return { do: 'focus', key }
    case 'step:expand':
      return { do: 'expand', key }
    case 'step:collapse':
      return { do: 'collapse', key }
    case 'step:select':
      return { do: 'select', key }
    case 'step:reveal':
      return { do: 'reveal', key }
    case 'step:setText':
      return { do: 'setText', key, text: 'x', mode: 'replace' }
    case 'step:setValue':
      return { do: 'setValue', key, value: 1 }
    case 'step:pointer':
      return { do: 'pointer', events: [{ type: 'move', x: 1, y: 1 }] }
    case 'step:keys':
      return {
        do: 'keys',
        events: [
          { type: 'down', key: 'Shift' },
          { type: 'up', key: 'Shift' },
        ],
      }
    case 'step:text':
      return { do: 'text', text: 'x' }
    case 'step:clipboard':
      return { do: 'clipboard', text: 'x' }
    case 'step:window':
      return { do: 'window', key, op: 'activate' }
    case 'step:launch':
      return { do: 'launch', app: 'any', args: [] }
    default:
      return cap satisfies never
  }
}
