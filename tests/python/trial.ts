import { randomInt } from 'node:crypto'
import type { PythonRunResult } from '@deskhand/code/python'
import type { Attempt } from './attempts/attempt.ts'
import type { World } from './world.ts'

export type Run = (code: string) => Promise<Pick<Extract<PythonRunResult, { ok: true }>, 'stdout' | 'stderr'> & { ended?: string }>

export interface Verdict {
  attempt: Attempt
  /** What it reached: empty when it reached nothing. */
  reached: string[]
  output: string
  /** Why the whole interpreter ended, where it did. */
  ended?: string
}

/**
 * Tries attempts, many in one interpreter where they do not disturb each other. Each is judged by itself: by what it printed, and
 * by the state of the world, which is looked at after every interpreter. Where that shows a trace, the attempts are tried one by one.
 */
export async function tryAll(all: Attempt[], run: Run, world: World, batch = 25): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  const waiting = all.filter((each) => !each.alone)
  while (waiting.length) verdicts.push(...(await tryTogether(waiting, Math.min(batch, waiting.length))))
  for (const attempt of all.filter((each) => each.alone)) verdicts.push(...(await tryTogether([attempt], 1)))
  return verdicts

  /** Takes from the front of the queue what got its chance: an interpreter that ends early leaves the rest for the next one. */
  async function tryTogether(queue: Attempt[], count: number): Promise<Verdict[]> {
    const token = String(randomInt(10 ** 13, 10 ** 14))
    const group = queue.slice(0, count)
    const { stdout, stderr, ended } = await run(program(group, token, world.targets(token)))
    const started = group.filter((_, i) => stdout.includes(`<${token} ${i}>`))
    const tried = ended === undefined ? group : group.slice(0, Math.max(started.length, 1))
    const traces = await world.breaches(token)
    if (traces.length && tried.length > 1) {
      const again: Verdict[] = []
      for (const attempt of tried) again.push(...(await tryTogether([attempt], 1)))
      queue.splice(0, tried.length)
      return again
    }
    queue.splice(0, tried.length)
    return tried.map((attempt, i) => {
      const own = stdout.split(`<${token} ${i}>`)[1]?.split(`<${token} ${i + 1}>`)[0] ?? ''
      const last = i === tried.length - 1
      const output = last ? own + stderr : own
      return { attempt, output, reached: [...traces, ...world.leaks(output)], ended: last ? ended : undefined }
    })
  }
}

export function failures(verdicts: Verdict[]): string[] {
  return verdicts
    .filter((each) => each.reached.length)
    .map((each) => `${each.attempt.area}: ${each.attempt.name}: ${each.reached.join(', ')}\n${each.output.slice(0, 500)}`)
}

function program(group: Attempt[], token: string, targets: Record<string, string | number>): string {
  return `
import json, os, sys
T = json.loads(${JSON.stringify(JSON.stringify(targets))})
for i, code in enumerate(json.loads(${JSON.stringify(JSON.stringify(group.map((each) => each.code)))})):
    print(f'\\n<${token} {i}>', flush=True)
    try:
        exec(compile(code, f'attempt {i}', 'exec'), {'T': {**T, 'pwned': T['pwned'] + f'-{i}'}, '__name__': '__main__'})
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
    try:
        os.chdir('/project')
    except OSError:
        pass
print(f'\\n<${token} ${group.length}>', flush=True)
`
}
