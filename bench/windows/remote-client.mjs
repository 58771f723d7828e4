// A double of the UI Automation client in this process, whose elements are in another one: a cache request for a subtree is one round trip over a
// pipe, a current property or the children of an element are one each.
import koffi from 'koffi'
import { E_NOTIMPL, object, setNumber, setPointer, setVariant, S_OK, startCom, table } from '../../tests/fixtures/windows/com-server.mjs'

const kernel32 = koffi.load('kernel32.dll')
const open = kernel32.func(
  'intptr_t __stdcall CreateFileW(str16 name, uint32 access, uint32 share, void *security, uint32 how, uint32 flags, intptr_t template)',
)
const write = kernel32.func('int32 __stdcall WriteFile(intptr_t file, void *from, uint32 size, void *done, void *overlapped)')
const read = kernel32.func('int32 __stdcall ReadFile(intptr_t file, void *into, uint32 size, void *done, void *overlapped)')

export let trips = 0
let file = -1

/** Connects to the provider; false while there is none. */
export function connect(pipe) {
  file = open(pipe, 0xc0000000, 0, null, 3, 0, 0)
  return file !== -1
}

function take(size) {
  const [all, done] = [Buffer.alloc(size), Buffer.alloc(4)]
  for (let at = 0; at < size; at += done.readUInt32LE(0))
    if (read(file, all.subarray(at), size - at, done, null) === 0) throw new Error('the provider is gone')
  return all
}

function ask(question) {
  trips++
  const text = Buffer.from(JSON.stringify(question))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length, 0)
  write(file, Buffer.concat([length, text]), 4 + text.length, Buffer.alloc(4), null)
  return JSON.parse(take(take(4).readUInt32LE(0)).toString('utf8'))
}

const any = (state) => state.address
const none = (count) => Array.from({ length: count }, () => ['', () => E_NOTIMPL])
const named = (rows, size) => Array.from({ length: size - 3 }, (_, i) => rows[i + 3] ?? ['', () => E_NOTIMPL])
const make = (methods, state = {}) => {
  state.address = object(methods, state)
  return state.address
}
const array = table(any, [
  ['p', ({ items }, out) => setNumber(out, items.length)],
  ['ip', ({ items }, at, out) => setPointer(out, make(element, items[at]))],
])
const place = (out, rect) => rect.forEach((value, i) => setNumber(out + BigInt(4 * i), value))
const element = table(
  any,
  named(
    {
      6: [
        'ipp',
        ({ id }, _scope, _condition, out) => {
          const items = ask({ do: 'children', id }).map((child) => ({ id: child }))
          setPointer(out, items.length === 0 ? 0n : make(array, { items }))
        },
      ],
      9: ['pp', (_, _request, out) => setPointer(out, make(element, ask({ do: 'subtree' })))],
      11: ['iip', ({ id }, property, _ignore, out) => setVariant(out, ask({ do: 'property', id, property }) ?? undefined)],
      13: ['iip', ({ facts }, property, _ignore, out) => setVariant(out, facts[property])],
      19: ['p', ({ children }, out) => setPointer(out, children.length === 0 ? 0n : make(array, { items: children }))],
      43: ['p', ({ id }, out) => place(out, ask({ do: 'place', id }))],
      75: ['p', ({ rect }, out) => place(out, rect)],
    },
    85,
  ),
)
const request = table(any, [['i', () => S_OK], ['i', () => S_OK], ...none(2), ['i', () => S_OK], ...none(4)])
const automation = table(
  any,
  named(
    {
      6: ['qp', (_, _window, out) => setPointer(out, make(element, { id: 1 }))],
      18: ['p', (_, out) => setPointer(out, make(request))],
      20: ['p', (_, out) => setPointer(out, make(request))],
    },
    58,
  ),
)
const factory = table(any, [
  ['ppp', (_, _outer, _id, out) => setPointer(out, make(automation))],
  ['i', () => S_OK],
])

startCom(null, 0)
const register = koffi
  .load('ole32.dll')
  .func('int32 __stdcall CoRegisterClassObject(void *cls, void *factory, uint32 context, uint32 flags, void *cookie)')
register(Buffer.from('a4db48ffef600142aa8754103eef594e', 'hex'), make(factory), 1, 1, Buffer.alloc(4))
