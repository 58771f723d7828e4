import { InferenceSession } from 'onnxruntime-node'
import { expect, test, vi } from 'vitest'
import { enginesFor } from './engines.ts'
import { PpOcr } from './ppocr.ts'

test('networks are loaded once for each number of threads, however often and from how many readings it changes', async () => {
  const loaded = vi.spyOn(InferenceSession, 'create')
  const engine = await PpOcr.open(enginesFor(['en']).ppocr!, 1)
  const one = loaded.mock.calls.length
  expect(one).toBeGreaterThan(1)
  await Promise.all([engine.limit(2), engine.limit(2)])
  await engine.limit(1)
  await engine.limit(2)
  expect(loaded).toHaveBeenCalledTimes(2 * one)
})
