import { readdirSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { VisionProcess } from '../../packages/vision/src/process.ts'

const square = (side: number, at: number) => {
  const data = new Uint8Array(side * side * 4).fill(255)
  for (let i = 0; i < 40; i++) data.fill(i * 6, (at + i) * 4, (at + i) * 4 + 3)
  return { width: side, height: side, data }
}
const ASK = { hay: square(64, 700), needle: square(12, 20), options: { confidence: 0.9, limit: 1 } }

let eyes: VisionProcess | undefined
afterEach(() => eyes?.close())

const search = (by: VisionProcess) => by.ask('similar', ASK, AbortSignal.timeout(60_000))
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('recognition starts with the first question, gives way to everything else, and is let go when idle', async () => {
  eyes = new VisionProcess({ idleMs: 200 })
  expect(eyes.pid).toBeUndefined()
  await search(eyes)
  const { pid = 0 } = eyes
  expect(getPriority(pid)).toBeGreaterThan(getPriority(process.pid))
  await expect.poll(() => eyes?.pid).toBeUndefined()
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a question whose process dies fails with what to do, and the next one starts it anew', async () => {
  eyes = new VisionProcess()
  await search(eyes)
  const { pid = 0 } = eyes
  const asked = search(eyes)
  process.kill(pid, 'SIGKILL')
  await expect(asked).rejects.toMatchObject({ code: 'NOT_CAPABLE', next: expect.stringContaining('once more') })
  await search(eyes)
  expect(eyes.pid).not.toBe(pid)
})

test('a process that runs already gives way further, in each of its threads, when the processors become busy', async () => {
  let pressure = 0
  eyes = new VisionProcess({ pressure: () => pressure })
  await search(eyes)
  const { pid = 0 } = eyes
  pressure = 90
  await search(eyes)
  expect(eyes.pid).toBe(pid)
  // A thread that began meanwhile has the priority of the one that began it.
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW)
  expect(readdirSync(`/proc/${pid}/task`).every((thread) => getPriority(Number(thread)) === constants.priority.PRIORITY_LOW)).toBe(true)
  expect(eyes.effort).toMatchObject({ threads: 1, why: 'the processors are overloaded' })
})
