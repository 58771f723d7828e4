import { DeskhandError } from '@deskhand/core/errors'
import { type Rect, Rect as AnyRect } from '@deskhand/core/model'
import { z } from 'zod'
import { Bus, BusError } from '../../dbus/index.ts'
import type { Env } from '../../display-server.ts'
import { type Order, State, type WindowLink } from '../window-link.ts'
import { SHELL } from './extension.ts'

const SHELL_NAME = 'org.gnome.Shell'
const DEADLINE_MS = 3000

/** What our extension tells beside windows. */
const ShellState = State.extend({ keyboard: z.string(), capsLock: z.boolean(), takesText: z.boolean() })
export type ShellState = z.infer<typeof ShellState>

/** GNOME Shell on the session bus, and our extension inside of it, which alone knows where windows are. */
export class ShellLink implements WindowLink {
  onChanged: () => void = () => {}
  onDrawn: (areas: Rect[]) => void = () => {}
  /** As it was told last. */
  state: ShellState | undefined
  readonly bus: Bus
  readonly #owner: string

  /** Undefined where GNOME Shell is not on the session bus. */
  static async open(env: Env): Promise<ShellLink | undefined> {
    const address = env.DBUS_SESSION_BUS_ADDRESS
    if (address === undefined) return undefined
    const bus = await Bus.connect(address)
    try {
      const owner = await ownerOf(bus, SHELL_NAME)
      if (owner === undefined) {
        bus.close()
        return undefined
      }
      const link = new ShellLink(bus, owner)
      // Any program may take a name; only one that the shell itself holds is the extension's.
      if ((await ownerOf(bus, SHELL.name)) === owner) {
        await bus.match(`type='signal',sender='${owner}',path='${SHELL.path}'`)
        await link.ask({})
      }
      return link
    } catch (error) {
      bus.close()
      throw error
    }
  }

  private constructor(bus: Bus, owner: string) {
    this.bus = bus
    this.#owner = owner
    bus.onSignal((signal) => {
      if (signal.sender !== owner || signal.path !== SHELL.path) return
      if (signal.member === 'Changed') this.onChanged()
      else if (signal.member === 'Drawn') this.onDrawn(z.array(AnyRect).parse(JSON.parse(signal.read('s')?.[0] ?? '[]')))
    })
  }

  get hasExtension(): boolean {
    return this.state !== undefined
  }

  async ask(order: Order): Promise<ShellState> {
    return (this.state = ShellState.parse(JSON.parse(await this.#call('Ask', JSON.stringify(order)))))
  }

  /** Types a text as an input method does; false where what has the focus takes none. */
  async commit(text: string): Promise<boolean> {
    return (await this.#call('Commit', text)) === 'yes'
  }

  copy(text: string): Promise<string> {
    return this.#call('Copy', text)
  }

  paste(): Promise<string> {
    return this.#call('Paste', '')
  }

  close(): void {
    this.bus.close()
  }

  async #call(member: string, text: string): Promise<string> {
    try {
      const [answer] = await this.bus.call(this.#owner, SHELL.path, SHELL.iface, member, 's', [text], 's', {
        deadlineMs: DEADLINE_MS,
        mostBytes: 64 << 20,
      })
      return answer
    } catch (error) {
      if (!(error instanceof BusError)) throw error
      if (error.reply === 'timeout') throw new DeskhandError('TIMEOUT', `GNOME Shell did not answer within ${DEADLINE_MS} ms`)
      if (error.reply === 'closed') throw new DeskhandError('NO_DESKTOP', 'GNOME Shell is gone')
      throw new DeskhandError('DRIVER_FAILED', `the extension of GNOME Shell refused: ${error.message}`, {
        next: 'Install it anew with this Node, and log in again: deskhand consent gnome',
        cause: error,
      })
    }
  }
}

async function ownerOf(bus: Bus, name: string): Promise<string | undefined> {
  const [isThere] = await bus.daemon('NameHasOwner', 's', [name], 'b')
  return isThere ? (await bus.daemon('GetNameOwner', 's', [name], 's'))[0] : undefined
}
