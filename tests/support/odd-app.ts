import type { Socket } from 'node:net'
import { authenticated, socketPaths } from '../../packages/driver-linux/src/dbus/address.ts'
import { CALL, encode, ERROR, Framer, type Message, RETURN, SIGNAL } from '../../packages/driver-linux/src/dbus/message.ts'

export const ROOT = '/org/a11y/atspi/accessible/root'
const ACCESSIBLE = 'org.a11y.atspi.Accessible'
const DAEMON = 'org.freedesktop.DBus'
/** AT-SPI's numbers for roles and states. */
const ROLE = { application: 75, frame: 23, panel: 39, table: 55, link: 88, page: 95 }
const SHOWN = (1 << 8) | (1 << 24) | (1 << 25) | (1 << 30)

/** What an application says of one of its objects. */
export interface OddNode {
  role: keyof typeof ROLE
  name?: string
  parent?: string
  children: () => string[] | Promise<string[]>
  /** What it says of the number of its children; it refuses to say where this is absent. */
  count?: number
  /** Makes its children on demand. */
  manages?: boolean
}

/** An application on the accessibility bus that is no toolkit's and may be made to answer anything; it remembers what it was asked. */
export class OddApp {
  readonly asked: string[] = []
  name = ''
  readonly #socket: Socket
  readonly #framer = new Framer()
  readonly #node: (path: string) => OddNode | undefined
  readonly #address: string
  readonly #toolkit: string
  #serial = 0

  /** `address` is where it says that it can be reached directly. */
  static async start(bus: string, node: (path: string) => OddNode | undefined, { address = '', toolkit = 'odd' } = {}): Promise<OddApp> {
    const [path = ''] = socketPaths(bus)
    const app = new OddApp(await authenticated(path, 5000), node, address, toolkit)
    app.#call(DAEMON, '/org/freedesktop/DBus', DAEMON, 'Hello', '', [])
    while (app.name === '') await new Promise((done) => setTimeout(done, 5))
    app.#call('org.a11y.atspi.Registry', ROOT, 'org.a11y.atspi.Socket', 'Embed', '(so)', [[app.name, ROOT]])
    return app
  }

  private constructor(socket: Socket, node: (path: string) => OddNode | undefined, address: string, toolkit: string) {
    this.#socket = socket
    this.#node = node
    this.#address = address
    this.#toolkit = toolkit
    socket.on('data', (data: Buffer) => this.#framer.push(data, (message) => void this.#take(message)))
    socket.on('error', () => {})
    socket.resume()
  }

  /** Tells that an object has other children than before. */
  announce(path: string): void {
    const head = { type: SIGNAL, path, iface: 'org.a11y.atspi.Event.Object', member: 'ChildrenChanged' }
    const child = { type: '(so)', value: [this.name, ROOT] }
    this.#socket.write(encode(++this.#serial, head, 'siiva{sv}', ['add', 0, 0, child, new Map()]))
  }

  close(): void {
    this.#socket.destroy()
  }

  #call(destination: string, path: string, iface: string, member: string, signature: string, args: unknown[]): void {
    this.#socket.write(encode(++this.#serial, { type: CALL, path, iface, member, destination }, signature, args as never))
  }

  async #take(m: Message): Promise<void> {
    if (m.type === RETURN && this.name === '') this.name = m.read('s')?.[0] ?? ''
    if (m.type !== CALL || !m.wantsReply) return
    const property = m.member === 'Get' ? m.read('ss')?.[1] : undefined
    this.asked.push(`${property ?? m.member} ${m.path}`)
    const answer = this.#answer(m.path, property ?? m.member)
    const head = { replyTo: m.serial, destination: m.sender }
    if (answer === undefined)
      this.#socket.write(encode(++this.#serial, { type: ERROR, error: `${DAEMON}.Error.UnknownMethod`, ...head }, 's', ['no']))
    else {
      const [signature, told] = answer
      const value: unknown = await told
      const [as, body] = property === undefined ? [signature, value] : ['v', { type: signature, value }]
      this.#socket.write(encode(++this.#serial, { type: RETURN, ...head }, as, [body] as never))
    }
  }

  #answer(path: string, what: string): [string, unknown] | undefined {
    const node = this.#node(path)
    const ref = (to: string): [string, string] => [this.name, to]
    if (what === 'GetApplicationBusAddress') return ['s', this.#address]
    if (what === 'ToolkitName') return ['s', this.#toolkit]
    if (node === undefined) return undefined
    switch (what) {
      case 'Name':
        return ['s', node.name ?? '']
      case 'Description':
        return ['s', '']
      case 'GetRole':
        return ['u', ROLE[node.role]]
      case 'GetState':
        return ['au', [(node.manages === true ? 1 << 31 : 0) | SHOWN, 0].map((w) => w >>> 0)]
      case 'GetInterfaces':
        return ['as', [ACCESSIBLE]]
      case 'Parent':
        return ['(so)', ref(node.parent ?? ROOT)]
      case 'ChildCount':
        return node.count === undefined ? undefined : ['i', node.count]
      case 'GetChildren':
        return ['a(so)', Promise.resolve(node.children()).then((paths) => paths.map(ref))]
      default:
        return undefined
    }
  }
}
