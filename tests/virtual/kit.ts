import {
  CAPS,
  mustBeCapable,
  within,
  type Cap,
  type Driver,
  type DriverInfo,
  type Guard,
  type Sent,
  type Step,
} from '@deskhand/core/driver'
import { center, parseChord, type FlatNode, type Point } from '@deskhand/core/model'
import { openVirtual, type VirtualDriver, type VirtualInputElementDescription, type VirtualOptions } from '@deskhand/driver-virtual'

export const ctx = within(10_000)

/** An element as a file may write it, defaults left out. */
export type El = Omit<VirtualInputElementDescription, 'attributes' | 'children'> & { attributes?: object; children?: El[] }

/** A short way to write elements: type, id, label, and the rest. */
export function el(element_type: string, element_id: string, label_text?: string, rest: Partial<El> = {}): El {
  return { element_id, element_type, ...(label_text !== undefined && { label_text }), ...rest }
}

export const win = (id: string, title: string, children: El[], rest: Partial<El> = {}): El => el('window', id, title, { children, ...rest })

/** A simulated desktop, and a hand that knows its elements by id. */
export class Hand {
  readonly driver: VirtualDriver
  #lease: string | undefined
  #cursor = ''

  constructor(ui: unknown, options: Omit<VirtualOptions, 'ui'> = {}) {
    this.driver = openVirtual({ ui, ...options })
  }

  async step(step: Step, guard: Guard = {}): Promise<Sent> {
    this.#lease ??= await this.driver.act.take(60_000, ctx)
    return this.driver.act.step(this.#lease, step, guard, ctx)
  }

  key(id: string): string {
    const key = this.driver.keyOf(id)
    if (key === undefined) throw new Error(`there is no ${id}`)
    return key
  }

  async node(id: string): Promise<FlatNode> {
    const [node] = await this.driver.observe.check([this.key(id)], ctx)
    if (!node) throw new Error(`there is no ${id}`)
    return node
  }

  value = async (id: string): Promise<string | undefined> => (await this.node(id)).value
  name = async (id: string): Promise<string | undefined> => (await this.node(id)).name
  states = async (id: string): Promise<NonNullable<FlatNode['states']>> => (await this.node(id)).states ?? {}
  focused = (): string | undefined => this.driver.state().focused

  async at(id: string, part: Point = { x: 0.5, y: 0.5 }): Promise<Point> {
    const { bounds } = await this.node(id)
    if (!bounds) throw new Error(`${id} cannot be seen`)
    return part.x === 0.5 && part.y === 0.5 ? center(bounds) : { x: bounds.x + bounds.w * part.x, y: bounds.y + bounds.h * part.y }
  }

  async click(id: string, options: { count?: number; button?: 'left' | 'right'; part?: Point } = {}): Promise<Sent> {
    const { count = 1, button = 'left', part } = options
    const press = [{ type: 'down', button } as const, { type: 'up', button } as const]
    return this.step({
      do: 'pointer',
      events: [{ type: 'move', ...(await this.at(id, part)) }, ...Array.from({ length: count }, () => press).flat()],
    })
  }

  async drag(from: Point, to: Point): Promise<Sent> {
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
    return this.step({
      do: 'pointer',
      events: [
        { type: 'move', ...from },
        { type: 'down', button: 'left' },
        { type: 'move', ...middle },
        { type: 'move', ...to },
        { type: 'up', button: 'left' },
      ],
    })
  }

  async press(...chords: string[]): Promise<void> {
    for (const chord of chords) {
      const keys = parseChord(chord)
      if (!keys) throw new Error(`${chord} is no chord`)
      const down = keys.map((key) => ({ type: 'down' as const, key }))
      const up = keys.toReversed().map((key) => ({ type: 'up' as const, key }))
      await this.step({ do: 'keys', events: [...down, ...up] })
    }
  }

  type = (text: string): Promise<Sent> => this.step({ do: 'text', text })

  /** The visible part of the tree, by element id. */
  async visible(): Promise<string[]> {
    const { nodes } = await this.driver.observe.read({}, ctx)
    return nodes.filter((n) => n.states?.visible).map((n) => n.platformIds?.virtualId ?? '')
  }

  /** What was told since the last look, as readable words. */
  async news(): Promise<string[]> {
    const found = await this.driver.observe.changes(this.#cursor, 0, ctx)
    if ('reset' in found) {
      this.#cursor = (await this.driver.observe.read({ maxNodes: 1 }, ctx)).cursor
      return ['reset']
    }
    this.#cursor = found.cursor
    return found.changes.map((c) => (c.type === 'put' ? `put ${c.node.platformIds?.virtualId}` : c.type))
  }
}

/** The same driver with a tree and nothing else: it can neither act nor take pictures. */
export function onlySees(driver: Driver): Driver {
  const { observe, act } = driver
  const gap: Cap = { ok: false, reason: 'this driver only sees' }
  const can = Object.fromEntries(CAPS.map((c) => [c, c === 'tree' || c === 'push' ? { ok: true } : gap])) as DriverInfo['can']
  return {
    ...driver,
    observe: {
      ...observe,
      info: async (info) => ({ ...(await observe.info(info)), can }),
      hit: async () => refuse(can),
      capture: async () => refuse(can),
      readClipboard: async () => refuse(can),
      pointer: async () => refuse(can),
    },
    act: {
      take: (ttlMs, c) => act.take(ttlMs, c),
      step: async () => refuse(can),
      reply: (id, result, c) => act.reply(id, result, c),
      drop: (lease) => act.drop(lease),
      stop: () => act.stop(),
    },
  }
}

function refuse(can: DriverInfo['can']): never {
  mustBeCapable(can, 'hit')
  throw new Error('it can')
}
