import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventData } from './event-data.ts'

const STREAM = ': hello\r\ndata: {"a":1}\r\n\r\nevent: message\ndata: {"b":\ndata: 2}\n\ndata:\n\nid: 7\n\ndata: cut of'

test('events are told whole, however the stream is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 })), (sizes) => {
      const events = new EventData()
      const told: string[] = []
      let at = 0
      for (const size of [...sizes, STREAM.length]) {
        told.push(...events.take(STREAM.slice(at, at + size)))
        at += size
      }
      expect(told).toEqual(['{"a":1}', '{"b":\n2}'])
    }),
  )
})
