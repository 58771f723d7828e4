import { constants, deflateSync, inflateSync } from 'node:zlib'
import type { InputEvent } from '@deskhand/core/model'
import { expect, test } from 'vitest'
import { ClientInput } from './client-input.ts'
import { ClientClipboard } from './clipboard.ts'
import { Framebuffer } from './framebuffer.ts'

const [TEXT, CAPS, REQUEST, PEEK, NOTIFY, PROVIDE] = [1, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28]

function client(takes = true) {
  const sent: Buffer[] = []
  const taken: string[] = []
  const clipboard = new ClientClipboard({
    send: (bytes) => sent.push(bytes),
    ...(takes && { take: (text: string) => void taken.push(text) }),
  })
  /** What the server said since it was asked last: the flags of extended messages, and what came with them. */
  const heard = () =>
    sent.splice(0).map((bytes) => {
      const length = bytes.readInt32BE(4)
      expect([bytes[0], bytes.length]).toEqual([3, 8 + Math.abs(length)])
      return length >= 0 ? bytes.toString('latin1', 8) : { flags: bytes.readInt32BE(8), data: bytes.subarray(12) }
    })
  return { clipboard, taken, heard }
}

function message(length: number, ...parts: Buffer[]): Buffer {
  const head = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0])
  head.writeInt32BE(length, 4)
  return Buffer.concat([head, ...parts])
}

function extended(flags: number, data = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4)
  head.writeInt32BE(flags)
  return message(-4 - data.length, head, data)
}

/** As clients pack it: the stream is flushed and not ended. */
function provided(text: string): Buffer {
  const letters = Buffer.from(`${text}\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(letters.length)
  return extended(PROVIDE | TEXT, deflateSync(Buffer.concat([length, letters]), { finishFlush: constants.Z_SYNC_FLUSH }))
}

test('a client that knows no more has Latin 1 both ways', () => {
  const { clipboard, taken, heard } = client()
  const bytes = message(4, Buffer.from('Grüß', 'latin1'))
  expect(clipboard.message(bytes.subarray(0, 10))).toBeUndefined()
  expect(clipboard.message(bytes)).toBe(12)
  clipboard.copied('Grüße, 漢字')
  expect({ taken, heard: heard() }).toEqual({ taken: ['Grüß'], heard: ['Grüße, ??'] })
})

test('one that knows the extension is told what is known, asked for what it copied, and given what it asks for', () => {
  const { clipboard, taken, heard } = client()
  clipboard.extend()
  clipboard.extend()
  expect(heard()).toMatchObject([{ flags: CAPS | REQUEST | PEEK | NOTIFY | PROVIDE | TEXT, data: Buffer.from([0, 4, 0, 0]) }])
  for (const flags of [NOTIFY | TEXT, PEEK, NOTIFY, REQUEST | TEXT]) clipboard.message(extended(flags))
  expect(heard()).toMatchObject([{ flags: REQUEST | TEXT }, { flags: NOTIFY }])
  const bytes = provided('漢字\r\n€')
  expect(clipboard.message(bytes)).toBe(bytes.length)
  expect(taken).toEqual(['漢字\n€'])
  clipboard.copied('één\n漢')
  clipboard.message(extended(REQUEST | TEXT))
  const [told, given] = heard() as { flags: number; data: Buffer }[]
  expect([told?.flags, given?.flags]).toEqual([NOTIFY | TEXT, PROVIDE | TEXT])
  expect(inflateSync(given!.data).toString('utf8', 4)).toBe('één\r\n漢\0')
})

test('a viewer is told of no extension, and what it copied goes nowhere', () => {
  const { clipboard, taken, heard } = client(false)
  clipboard.extend()
  expect(clipboard.message(message(1, Buffer.from('x')))).toBe(9)
  expect(() => clipboard.message(provided('x'))).toThrow(/no length/)
  expect({ taken, heard: heard() }).toEqual({ taken: [], heard: [] })
})

test.each([
  ['more than is read', message(-(256 * 1_024 + 1))],
  ['what becomes more than is read', extended(PROVIDE | TEXT, deflateSync(Buffer.alloc(8 * 2 ** 20)))],
  ['what was not packed', extended(PROVIDE | TEXT, Buffer.from('plain'))],
  ['nothing', extended(PROVIDE | TEXT)],
  ['less than says what it is', message(-3, Buffer.alloc(3))],
])('a message with %s is refused', (_, bytes) => {
  const { clipboard, taken } = client()
  clipboard.extend()
  expect(() => clipboard.message(bytes)).toThrow(/no length that is read/)
  expect(taken).toEqual([])
})

const [CONTROL, V] = [0xffe3, 0x76]

test('a key that pastes waits for the text that its client promised; one that is not told in the end holds nothing up', async () => {
  const did: InputEvent[] = []
  const told = (): InputEvent[] => did.splice(0)
  const input = new ClientInput({ send: () => {}, operate: (events) => did.push(...events), framebuffer: new Framebuffer() })
  input.clipboard.extend()
  input.key(true, CONTROL)
  input.clipboard.message(extended(NOTIFY | TEXT))
  input.key(true, V)
  expect(told()).toEqual([{ type: 'down', key: 'Control' }])
  input.clipboard.message(provided('漢'))
  expect(told()).toEqual([
    { type: 'clipboard', text: '漢' },
    { type: 'down', key: 'v' },
  ])
  input.clipboard.message(extended(NOTIFY | TEXT))
  input.key(false, V)
  await expect.poll(told).toEqual([{ type: 'up', key: 'v' }])
  input.clipboard.message(extended(NOTIFY | TEXT))
  input.key(true, V)
  input.release()
  expect(told()).toEqual(['v:down', 'Control:up', 'v:up'].map((word) => ({ type: word.split(':')[1], key: word.split(':')[0] })))
})
