// A program with a thousand elements that answers a client of UI Automation over a pipe, one question after the other, as providers in other
// processes do. Word: the name of the pipe.
import { createServer } from 'node:net'

const [GROUPS, EACH, EDIT, GROUP] = [20, 49, 50004, 50026]
let count = 0
const all = new Map()
/** The window is the first. */
function make(type, inside = []) {
  const id = ++count
  const facts = {
    30000: [42, id],
    30003: type,
    30005: `Element ${id}`,
    30009: true,
    30010: true,
    30011: `id${id}`,
    30012: 'Drawn',
    30019: false,
    30022: false,
    ...(type === EDIT && { 30043: true, 30045: `value ${id}`, 30046: false }),
  }
  const element = { id, facts, rect: [10, 10, 90, 30], children: [] }
  all.set(id, element)
  element.children = inside.map(([of, within]) => make(of, within))
  return element
}
const root = make(
  50032,
  Array.from({ length: GROUPS }, () => [GROUP, Array.from({ length: EACH }, () => [EDIT])]),
)

const answers = {
  subtree: () => root,
  children: ({ id }) => all.get(id).children.map((child) => child.id),
  property: ({ id, property }) => all.get(id).facts[property] ?? null,
  place: ({ id }) => all.get(id).rect,
}
createServer((socket) => {
  let waiting = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    waiting = Buffer.concat([waiting, bytes])
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
      const size = waiting.readUInt32LE(0)
      const question = JSON.parse(waiting.toString('utf8', 4, 4 + size))
      waiting = waiting.subarray(4 + size)
      const text = Buffer.from(JSON.stringify(answers[question.do](question)))
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length, 0)
      socket.write(Buffer.concat([length, text]))
    }
  })
  socket.on('error', () => process.exit(0))
  socket.on('close', () => process.exit(0))
}).listen(process.argv[2])
