import { expect, test } from 'vitest'
import { BoundPictures, type Look } from './bound-pictures.ts'

const SHOWN = Buffer.from('shown')
const CARET = Buffer.from('caret')
const OTHER = Buffer.from('other')
const never = new AbortController().signal

/** Shows these one after the other, and then the last of them. */
const faces =
  (...pictures: Buffer[]): Look =>
  () =>
    Promise.resolve(pictures.length > 1 ? pictures.shift() : pictures[0])

test('a picture that changes by itself binds nothing', async () => {
  const bound = new BoundPictures()
  expect(await bound.bind('a1', SHOWN, faces(CARET, OTHER), never)).toBe(true)
  await bound.mustBeSame('a1', never)
})

test('an answer that comes while it is looked again is bound to what was shown', async () => {
  const bound = new BoundPictures()
  const answered = new AbortController()
  let looks = 0
  const look: Look = () => {
    if (++looks === 2) answered.abort()
    return Promise.resolve(looks === 1 ? CARET : OTHER)
  }
  await expect(bound.bind('a1', SHOWN, look, answered.signal)).rejects.toThrow('abort')
  await expect(bound.mustBeSame('a1', never)).rejects.toMatchObject({ code: 'TARGET_CHANGED' })
})

test('a call that is ended while its picture is awaited waits no longer', async () => {
  const bound = new BoundPictures()
  const over = new AbortController()
  let looks = 0
  const look: Look = () => {
    looks++
    over.abort()
    return Promise.resolve(OTHER)
  }
  await expect(bound.bind('a1', SHOWN, look, AbortSignal.abort())).rejects.toThrow('abort')
  await expect(bound.mustBeSame('a1', over.signal)).rejects.toThrow('abort')
  expect(looks).toBe(1)
})
