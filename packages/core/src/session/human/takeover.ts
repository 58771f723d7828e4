import { within, type Act, type Lease, type Observe } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import { isModifier, type Handlers, type InputEvent, type KeyEvent, type PointerEvent, type Principal } from '../../model/index.ts'
import type { Human } from './human.ts'

const TTL_MS = 60_000
const STEP_MS = 10_000
const TAKES_NOTHING: ReadonlySet<InputEvent['type']> = new Set<InputEvent['type']>(['move', 'up', 'clipboard'])

interface TakeoverNeeds {
  act: Act
  observe: Observe
  /** Without what must not leave. */
  redact(text: string): string
  human: Human
  /** Takes the controls from every caller and has the driver release what is held. */
  release(): Promise<void>
  /** Writes down what an operator did. */
  record(what: string, by: Principal): Promise<void>
}

/**
 * An operator operates the desktop through its live picture. Agents wait from the first moment until the operator hands back; what the
 * operator does is recorded as a person's, by interval, counts and touched elements, never by content.
 */
export class Takeover {
  readonly methods: Handlers<'takeover' | 'takeover.input' | 'takeover.clipboard' | 'takeover.end'>
  readonly #on: TakeoverNeeds
  /** Modifiers that the operator holds. */
  readonly #down = new Set<string>()
  #lease?: Lease
  #isEnding = false
  /** Steps go out one after the other. */
  #sending: Promise<unknown> = Promise.resolve()

  constructor(needs: TakeoverNeeds) {
    this.#on = needs
    this.methods = {
      takeover: async (_, { who }) => {
        await this.#begin(who)
        return null
      },
      'takeover.input': async ({ events, release }, { who }) => {
        // A key that comes up after the desktop was handed back, or a client that leaves then, is no wish to have it again.
        const isOver = needs.human.takenBy === undefined || this.#isEnding
        if (isOver && events.every(({ type }) => TAKES_NOTHING.has(type))) return null
        await this.#begin(who)
        const sent = this.#sending.then(() => this.#send(events))
        this.#sending = sent.catch(() => {})
        await sent
        if (release) await this.letGo()
        return null
      },
      'takeover.clipboard': async (_, { who }) => {
        if (!needs.human.settings.clipboard || needs.human.takenBy?.id !== who.id) return {}
        return { text: needs.redact(await needs.observe.readClipboard(within(STEP_MS))) }
      },
      'takeover.end': async (_, { who }) => {
        if (needs.human.takenBy === undefined) return null
        // What still comes must not take a lease again that agents would then wait for.
        this.#isEnding = true
        try {
          await this.#sending
          await this.letGo()
          needs.human.handBack()
        } finally {
          this.#isEnding = false
        }
        await needs.record('handback', who)
        return null
      },
    }
  }

  /** Releases what the operator holds down. */
  async letGo(): Promise<void> {
    const lease = this.#lease
    this.#lease = undefined
    this.#down.clear()
    // A driver that died has nothing left to drop; its release is the dead-man's.
    if (lease !== undefined) await this.#on.act.drop(lease).catch(() => {})
  }

  async #begin(by: Principal): Promise<void> {
    const { human, release, record } = this.#on
    if (human.takenBy?.id === by.id) return
    if (human.takenBy !== undefined) throw human.refusal('one operator operates it at a time')
    human.takeOver(by)
    this.#sending = this.#sending.then(() => release())
    await this.#sending
    await record('takeover', by)
  }

  async #send(given: readonly InputEvent[]): Promise<void> {
    const { act, human } = this.#on
    // A VNC client sends its clipboard unasked: where it is not let in it is no reason to refuse the rest.
    const events = given.filter((e) => e.type !== 'clipboard' || human.settings.clipboard)
    for (const step of stepsOf(events, this.#down)) {
      if (human.takenBy === undefined) throw new DeskhandError('LEASE_LOST', 'the desktop was handed back')
      try {
        await act.step(await this.#leased(), step, {}, within(STEP_MS))
      } catch (thrown) {
        // The driver was started anew, a stop came between, or the lease ran out while nothing was done.
        if (!(thrown instanceof DeskhandError) || thrown.code !== 'LEASE_LOST') throw thrown
        this.#lease = undefined
        await act.step(await this.#leased(), step, {}, within(STEP_MS))
      }
    }
    const count = (has: (event: InputEvent) => boolean): number => events.filter(has).length
    human.used({
      moves: count((e) => e.type === 'move'),
      buttons: count((e) => ('button' in e && e.type === 'down') || e.type === 'wheel'),
      keys: count((e) => 'key' in e && e.type === 'down'),
    })
  }

  async #leased(): Promise<Lease> {
    return (this.#lease ??= await this.#on.act.take(TTL_MS, within(STEP_MS)))
  }
}

type InputStep = { do: 'pointer'; events: PointerEvent[] } | { do: 'keys'; events: KeyEvent[] } | { do: 'text' | 'clipboard'; text: string }

/**
 * Events of one device in a row are one step; `down` keeps the modifiers that are held. Characters that few keyboards have are typed as
 * text, without the modifiers that make them on the operator's keyboard: the desktop need not have their keys.
 */
function stepsOf(events: readonly InputEvent[], down: Set<string>): InputStep[] {
  const steps: InputStep[] = []
  const strike = (type: 'down' | 'up', keys: readonly string[]): void => {
    const last = steps.at(-1)
    const strokes = keys.map((key): KeyEvent => ({ type, key }))
    if (last?.do === 'keys') last.events.push(...strokes)
    else if (strokes.length > 0) steps.push({ do: 'keys', events: strokes })
  }
  for (const event of events) {
    const last = steps.at(-1)
    if (event.type === 'clipboard') steps.push({ do: 'clipboard', text: event.text })
    else if (!('key' in event)) {
      if (last?.do === 'pointer') last.events.push(event)
      else steps.push({ do: 'pointer', events: [event] })
    } else if (isRare(event.key) && ![...down].some((key) => CHORDS.has(key))) {
      if (event.type === 'up') continue
      strike('up', [...down])
      steps.push({ do: 'text', text: event.key })
      strike('down', [...down])
    } else {
      if (isModifier(event.key)) down[event.type === 'down' ? 'add' : 'delete'](event.key)
      strike(event.type, [event.key])
    }
  }
  return steps
}

const CHORDS: ReadonlySet<string> = new Set(['Control', 'Alt', 'Meta'])
const isRare = (key: string): boolean => [...key].length === 1 && (key.codePointAt(0) ?? 0) > 0x7e
