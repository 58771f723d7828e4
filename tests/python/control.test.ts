import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Attempt } from './attempts/attempt.ts'
import { bridge } from './attempts/bridge.ts'
import { doors } from './attempts/doors.ts'
import { environment } from './attempts/environment.ts'
import { files } from './attempts/files.ts'
import { network } from './attempts/network.ts'
import { processes } from './attempts/processes.ts'
import { tryAll, type Run } from './trial.ts'
import { openWorld, type World } from './world.ts'

let world: World
/** Beside the world, which must not change unless something is reached. */
let scratch: string
beforeEach(async () => {
  world = await openWorld()
  scratch = await mkdtemp('/var/tmp/deskhand-control-')
})
afterEach(async () => {
  await world.close()
  await rm(scratch, { recursive: true, force: true })
})

/** What a sandbox has to itself under /tmp would be everybody's here. */
const housed = (attempt: Attempt): Attempt => ({ ...attempt, code: attempt.code.replaceAll('/tmp', scratch) })

/** The attempts are only worth something if they get through where nothing holds them; a judge that sees nothing would pass everything. */
test('without a sandbox, most attempts on files, network, processes and environment succeed', { timeout: 300_000 }, async () => {
  const run = program('/usr/bin/python3', ['-I', '-'])
  for (const [attempts, least] of [
    [files, 30],
    [network, 25],
    [doors, 19],
    [processes, 15],
    [environment, 4],
  ] as const) {
    const harmless = attempts.filter((each) => !each.harmful).map(housed)
    const reached: string[] = []
    for (const attempt of harmless) {
      const [verdict] = await tryAll([attempt], run, world)
      if (verdict?.reached.length) reached.push(attempt.name)
      await world.reset()
      for (const name of await readdir(scratch)) await rm(join(scratch, name), { recursive: true, force: true })
    }
    expect(reached.length, reached.join(', ')).toBeGreaterThanOrEqual(least)
  }
})

test('without the seal, the bridge to JavaScript leads out', { timeout: 300_000 }, async () => {
  const bare = fileURLToPath(new URL('./bare.mjs', import.meta.url))
  const verdicts = await tryAll(bridge, program(process.execPath, [bare]), world, 8)
  const reached = verdicts.filter((each) => each.reached.length).map((each) => each.attempt.name)
  expect(reached.length, reached.join(', ')).toBeGreaterThanOrEqual(10)
  expect(reached).toEqual(expect.arrayContaining(['import js', 'run_js and a shell', 'to_js and its constructor']))
})

function program(command: string, args: string[]): Run {
  return (code) =>
    new Promise((resolve) => {
      const child = spawn(command, args, { cwd: world.root, detached: true, env: { ...process.env, TMPDIR: scratch } })
      const out = { stdout: '', stderr: '' }
      child.stdout.on('data', (chunk) => (out.stdout += chunk))
      child.stderr.on('data', (chunk) => (out.stderr += chunk))
      const slow = setTimeout(() => kill(child.pid), 20_000)
      child.once('exit', () => {
        clearTimeout(slow)
        setTimeout(() => kill(child.pid), 200)
      })
      child.once('close', (status) => resolve({ ...out, ended: status === 0 ? undefined : `status ${status}` }))
      child.stdin.end(code)
    })
}

function kill(group: number | undefined): void {
  try {
    if (group) process.kill(-group, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}
