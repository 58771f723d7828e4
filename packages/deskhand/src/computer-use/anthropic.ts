import {
  BetaAbstractComputerToolset20260801,
  ToolError,
  type BetaComputerToolsetOptions,
  type BetaToolsetCallContext,
} from '@anthropic-ai/sdk/helpers/beta/toolsets'
import type { Result } from '@deskhand/core/model'
import { DeskhandError } from '@deskhand/core/errors'
import type { HoldingDesk } from '../sdk/desk.ts'
import { Computer, failureWords, inWords, modifiersOf, type ComputerOptions } from './computer.ts'

type Ctx = BetaToolsetCallContext
type Point = { x: number; y: number }

const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const
const MOST_REPEATS = 100

/**
 * Anthropic's computer toolset on a governed desktop, every member of it: `new DeskhandComputerToolset(await connect())` goes into `tools`
 * of the SDK's tool runner. Policy, approvals and the record are the desktop's; `confirm` of the SDK may ask on top, by coordinate.
 */
export class DeskhandComputerToolset extends BetaAbstractComputerToolset20260801 {
  readonly #computer: Computer

  constructor(desk: HoldingDesk, options: ComputerOptions & BetaComputerToolsetOptions = {}) {
    // The SDK wants a `confirm` for keys, but shows it a coordinate at most; the desktop's policy asks about the element instead.
    const { maxWidth, maxHeight, confirm = () => true, ...toolset } = options
    super({ confirm, ...toolset })
    this.#computer = new Computer(desk, { maxWidth, maxHeight })
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#computer.release()
  }

  protected override async execute(
    ...call: Parameters<BetaAbstractComputerToolset20260801['execute']>
  ): ReturnType<BetaAbstractComputerToolset20260801['execute']> {
    try {
      return await super.execute(...call)
    } catch (thrown) {
      throw thrown instanceof DeskhandError ? new ToolError(failureWords(thrown)) : thrown
    }
  }

  protected override async key(_: Ctx, { text, repeat }: { text: string; repeat?: number | null }): Promise<string> {
    const times = Math.min(Math.max(repeat ?? 1, 1), MOST_REPEATS)
    let last = await this.#computer.key(text)
    for (let i = 1; i < times; i++) last = await this.#computer.key(text)
    return inWords(last)
  }

  protected override async hold_key(_: Ctx, { text, duration }: { text: string; duration: number }): Promise<string> {
    return inWords(await this.#computer.key(text, Math.min(duration * 1000, 10_000)))
  }

  protected override async type_(_: Ctx, { text }: { text: string }): Promise<string> {
    return inWords(await this.#computer.type(text))
  }

  protected override cursor_position(): Promise<Point> {
    return this.#computer.cursor()
  }

  protected override async mouse_move(_: Ctx, { coordinate }: { coordinate: number[] }): Promise<string> {
    return inWords(await this.#computer.move(point(coordinate)))
  }

  protected override async left_mouse_down(): Promise<string> {
    return inWords(await this.#computer.buttonDown())
  }

  protected override async left_mouse_up(): Promise<string> {
    return inWords(await this.#computer.buttonUp())
  }

  protected override left_click(_: Ctx, input: Click): Promise<string> {
    return this.#click(input, {})
  }

  protected override right_click(_: Ctx, input: Click): Promise<string> {
    return this.#click(input, { button: 'right' })
  }

  protected override middle_click(_: Ctx, input: Click): Promise<string> {
    return this.#click(input, { button: 'middle' })
  }

  protected override double_click(_: Ctx, input: Click): Promise<string> {
    return this.#click(input, { clickCount: 2 })
  }

  protected override triple_click(_: Ctx, input: Click): Promise<string> {
    return this.#click(input, { clickCount: 3 })
  }

  protected override async left_click_drag(
    _: Ctx,
    input: { start_coordinate: number[]; coordinate: number[]; text?: string | null },
  ): Promise<string> {
    return inWords(await this.#computer.drag([point(input.start_coordinate), point(input.coordinate)], held(input.text)))
  }

  protected override async scroll(
    _: Ctx,
    input: { scroll_direction: keyof typeof DIRECTIONS; scroll_amount: number } & Click,
  ): Promise<string> {
    const direction = DIRECTIONS[input.scroll_direction]
    if (direction === undefined) throw new DeskhandError('BAD_ARGS', `there is no direction ${JSON.stringify(input.scroll_direction)}`)
    const [dx, dy] = direction.map((d) => d * input.scroll_amount) as [number, number]
    return inWords(await this.#computer.scroll(optional(input.coordinate), dx, dy, held(input.text)))
  }

  protected override wait({ signal }: Ctx, { duration }: { duration: number }): Promise<void> {
    return this.#computer.wait(duration * 1000, signal ?? undefined)
  }

  protected override screenshot(): Promise<{ data: string; mediaType: 'image/png' }> {
    return this.#computer.screenshot()
  }

  protected override zoom(_: Ctx, { region }: { region: number[] }): Promise<{ data: string; mediaType: 'image/png' }> {
    const [x0, y0, x1, y1] = region
    if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined)
      throw new DeskhandError('BAD_ARGS', 'a region is [x0, y0, x1, y1]')
    return this.#computer.zoom(x0, y0, x1, y1)
  }

  async #click({ coordinate, text }: Click, how: Parameters<Computer['click']>[1]): Promise<string> {
    const result: Result = await this.#computer.click(optional(coordinate), { ...how, modifiers: held(text) })
    return inWords(result)
  }
}

interface Click {
  coordinate?: number[] | null
  text?: string | null
}

function point([x, y]: number[]): Point {
  if (x === undefined || y === undefined) throw new DeskhandError('BAD_ARGS', 'a coordinate is [x, y]')
  return { x, y }
}

const optional = (coordinate: number[] | null | undefined): Point | undefined => (coordinate == null ? undefined : point(coordinate))
const held = (text: string | null | undefined): ReturnType<typeof modifiersOf> =>
  text == null || text === '' ? [] : modifiersOf(text.split('+'))
