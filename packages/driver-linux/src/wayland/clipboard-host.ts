import { type Answer, Question } from './clipboard.ts'
import { Connection } from './connection.ts'
import { socketPair } from './socket-pair.ts'

/** Numbers of requests and events of zwlr_data_control. */
const MANAGER = { createSource: 0, getDevice: 1 }
const DEVICE = { setSelection: 0, dataOffer: 0, selection: 1 }
const OFFER = { receive: 0, destroy: 1, offer: 0 }
const SOURCE = { offer: 0, destroy: 1, send: 0, cancelled: 1 }
const TEXTS = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain', 'TEXT', 'STRING']
const LARGEST = 64 << 20

/** The process that owns the clipboard's text; it lives as long as the driver that started it. */
const connection = await Connection.open(process.env)
const manager = connection.bind('zwlr_data_control_manager_v1', 2)
const seat = connection.bind('wl_seat', 1)
const device = connection.create((event, read) => {
  if (event === DEVICE.dataOffer) greet(read.uint())
  else if (event === DEVICE.selection) select(read.uint())
})
/** What is on offer, by the number of the offer. */
const offers = new Map<number, string[]>()
let selected = 0
let own: { source: number; text: string } | undefined
connection.request(manager, MANAGER.getDevice, [device, seat])
await connection.sync()
process.on('message', (message) => {
  const { id, write: text } = Question.parse(message)
  const done = text === undefined ? read().then((found): Answer => ({ id, text: found })) : write(text).then((): Answer => ({ id }))
  void done.catch((error: unknown): Answer => ({ id, error: String(error) })).then((answer) => process.send?.(answer))
})
process.once('disconnect', () => process.exit())
void connection.closed.then(() => process.exit())

function greet(id: number): void {
  const types: string[] = []
  offers.set(id, types)
  connection.listen(id, (event, read) => {
    if (event === OFFER.offer) types.push(read.text())
  })
}

function select(id: number): void {
  selected = id
  for (const old of offers.keys()) {
    if (old === id) continue
    offers.delete(old)
    connection.request(old, OFFER.destroy)
  }
}

async function write(text: string): Promise<void> {
  const source = connection.create((event, read) => {
    if (event === SOURCE.send) {
      read.text()
      const pipe = connection.pipes.shift()
      pipe?.on('error', () => {})
      pipe?.end(text)
    } else if (event === SOURCE.cancelled) {
      if (own?.source === source) own = undefined
      connection.request(source, SOURCE.destroy)
    }
  })
  connection.request(manager, MANAGER.createSource, [source])
  for (const type of TEXTS) connection.request(source, SOURCE.offer, [type])
  connection.request(device, DEVICE.setSelection, [source])
  own = { source, text }
  await connection.sync()
}

async function read(): Promise<string> {
  await connection.sync()
  if (own !== undefined) return own.text
  const type = TEXTS.find((t) => offers.get(selected)?.includes(t))
  if (type === undefined) return ''
  const { ours, theirs } = await socketPair(connection.folder)
  const parts: Buffer[] = []
  let size = 0
  const whole = new Promise<string>((done, fail) => {
    ours.on('data', (part: Buffer) => {
      parts.push(part)
      if ((size += part.length) > LARGEST) fail(new Error('the text on the clipboard is too large'))
    })
    ours.once('end', () => done(Buffer.concat(parts).toString('utf8')))
    ours.once('error', fail)
  })
  connection.request(selected, OFFER.receive, [type], theirs)
  await connection.sync()
  // The owner of the text has its own by now, and closes it at the end.
  theirs.destroy()
  try {
    return await whole
  } finally {
    ours.destroy()
  }
}
