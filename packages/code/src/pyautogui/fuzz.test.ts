import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ACTIONS } from '@deskhand/core/model'
import { mutant } from './fixtures/generate.ts'
import { recordingPort } from './fixtures/recording-port.ts'
import { hostile, nonsense } from './fixtures/nonsense.ts'
import { cases, seed } from './fixtures/seed.ts'
import { interpretScript } from './run.ts'

const programs = readFileSync(new URL('fixtures/programs.txt', import.meta.url), 'utf8').split('\n---\n')
const LIMITS = { steps: 20_000, wallMs: 10_000, calls: 200, text: 20_000, items: 5_000, memory: 400_000, output: 20_000 }

/** Ten thousand in all in the long run: every run answers cleanly, sends only valid actions and releases everything at its end. */
async function run(scripts: fc.Arbitrary<string>, numRuns: number): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const port = recordingPort()
      const result = await interpretScript(script, { port, limits: LIMITS, pause: 0, seed: 1n })
      const kind = result.error?.code ?? 'ok'
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
      expect(['ok', 'BAD_SCRIPT', 'SCRIPT_FAILED']).toContain(kind)
      expect(port.released).toBe(kind === 'BAD_SCRIPT' ? 0 : 1)
      if (kind === 'BAD_SCRIPT') expect(port.performed).toEqual([])
      for (const p of port.performed) expect(ACTIONS[p.kind].safeParse(p.args).error).toBeUndefined()
      expect(result.output.length).toBeLessThanOrEqual(LIMITS.output)
      expect(result.steps.length).toBeLessThanOrEqual(LIMITS.calls)
    }),
    { numRuns, seed },
  )
  return seen
}

test('hostile programs end cleanly', async () => {
  const seen = await run(fc.oneof(hostile, nonsense), cases(7000))
  for (const kind of ['ok', 'BAD_SCRIPT', 'SCRIPT_FAILED']) expect(seen.get(kind)).toBeGreaterThan(cases(100))
}, 300_000)

test('broken programs end cleanly', async () => {
  const seen = await run(mutant(programs), cases(3000))
  for (const kind of ['ok', 'BAD_SCRIPT', 'SCRIPT_FAILED']) expect(seen.get(kind)).toBeGreaterThan(cases(20))
}, 300_000)
