import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutant, program } from './fixtures/generate.ts'
import { nonsense } from './fixtures/nonsense.ts'
import { alike, comparable, compilesInPython, here, inPython } from './fixtures/reference.ts'
import { cases, seed } from './fixtures/seed.ts'
import { binary, type Operators } from './interp/operators.ts'
import { validateScript } from './validate.ts'

const read = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
const programs = ['programs.txt', 'programs-more.txt', 'programs-agents.txt'].flatMap((name) => read(name).trimEnd().split('\n---\n'))
const actions = read('agent-actions.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { label: string; source: string; code: string })

/** The scripts that end differently here and in CPython, the shortest first; those that our budget or a refusal ended are left out. */
async function differences(scripts: readonly string[], operators: Operators = binary): Promise<object[]> {
  const there = inPython(scripts)
  const found: { script: string }[] = []
  for (const [i, script] of scripts.entries()) {
    const ours = await here(script, operators)
    const theirs = there[i]
    if (ours.status === 'error' && (ours.type === '' || / is not available; /.test(ours.result.detail))) continue
    if (!theirs || !alike(ours, theirs))
      found.push({ script, ours: comparable(ours), detail: ours.result.detail, theirs } as { script: string })
  }
  return found.sort((a, b) => a.script.length - b.script.length).slice(0, 3)
}

const accepted = (script: string): boolean => {
  try {
    validateScript(script)
    return true
  } catch {
    return false
  }
}

test('our own programs do here what they do in CPython', async () => {
  for (const script of programs) {
    const { status, type } = await here(script)
    expect(status !== 'error' || type !== '', script).toBe(true)
  }
  expect(await differences(programs)).toEqual([])
})

test('the actions of real agents do here what they do in CPython', async () => {
  const scripts = actions.map((a) => a.code).filter(accepted)
  expect(scripts.length).toBeGreaterThan(60)
  expect(await differences(scripts)).toEqual([])
})

test('generated programs do here what they do in CPython', async () => {
  const scripts = fc.sample(program, { numRuns: cases(300), seed })
  expect(await differences(scripts)).toEqual([])
})

test('programs without sense fail here as they fail in CPython', async () => {
  const scripts = fc.sample(nonsense, { numRuns: cases(1500), seed }).filter(accepted)
  expect(await differences(scripts)).toEqual([])
})

test('broken programs that still run do here what they do in CPython', async () => {
  const scripts = fc.sample(mutant(programs), { numRuns: cases(2000), seed }).filter((s) => accepted(s) && !s.includes('time.time'))
  expect(await differences(scripts)).toEqual([])
})

test('a wrong operator is noticed', async () => {
  const wrong: Operators = (budget, op, a, b) => binary(budget, op === 'FloorDiv' ? 'Div' : op, a, b)
  expect(await differences(programs, wrong)).not.toEqual([])
  expect(await differences(fc.sample(program, { numRuns: 60, seed }), wrong)).not.toEqual([])
})

test('what CPython refuses to compile is refused here', () => {
  const scripts = fc.sample(mutant(programs), { numRuns: cases(3000), seed })
  const compiles = compilesInPython(scripts)
  expect(scripts.filter((script, i) => !compiles[i] && accepted(script)).sort((a, b) => a.length - b.length)).toEqual([])
})
