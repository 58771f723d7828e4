import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './kit.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

/** Runs the writer inside a shell that takes something away from it; `$@` is the writer. */
function writer(shell: string): string {
  const child = [process.execPath, '--import', 'tsx', '--conditions=@deskhand/source', join(import.meta.dirname, 'writer-child.ts')]
  const args = ['-c', shell, 'sh', ...child, place.dir, place.keyDir, place.desktop, '1']
  const ran = spawnSync('bash', args, { encoding: 'utf8', cwd: resolve(import.meta.dirname, '../..'), maxBuffer: 1 << 26, timeout: 60_000 })
  expect(ran.stderr).toBe('')
  return ran.stdout
}

/** Fails closed, loses nothing that was acknowledged, and goes on once there is room again. */
async function expectRecovery(output: string, cause: string): Promise<void> {
  expect(output.split('\n').slice(-3)).toEqual([`failed JOURNAL_FAILED ${cause}`, `later JOURNAL_FAILED ${cause}`, ''])
  const acknowledged = [...output.matchAll(/^(\d+) (\w+) (\S+)$/gm)]
  expect(acknowledged.length).toBeGreaterThan(10)
  expect(await place.verify()).toMatchObject({ ok: true })
  await place.record(1)
  const entries = place.entries()
  for (const [, seq, type, op] of acknowledged) expect(entries[Number(seq) - 1]).toMatchObject({ seq: Number(seq), type, op })
  expect(await place.verify()).toMatchObject({ ok: true, tornBytes: 0 })
}

test('where the system refuses a longer file, every later append is refused too', { timeout: 90_000 }, async () => {
  await expectRecovery(writer(`trap '' XFSZ; ulimit -f 40; exec "$@"`), 'EFBIG')
})

test.runIf(canMount)('a full disk stops the record, and everything acknowledged before is on it', { timeout: 90_000 }, async () => {
  const inside = `set -e; mkdir ${place.dir} ${place.dir}.disk; mount -t tmpfs -o size=200k none ${place.dir}.disk; mkdir ${place.dir}.disk/j`
  const shell = `${inside}; args=("$@"); args[5]=${place.dir}.disk/j; "\${args[@]}"; cp -r ${place.dir}.disk/j/. ${place.dir}/`
  await expectRecovery(writer(`exec unshare -rm bash -c '${shell}' sh "$@"`), 'ENOSPC')
})

test.runIf(canMount)(
  'once there is room again the same writer goes on, without a restart, and says what it found',
  { timeout: 90_000 },
  async () => {
    const child = join(import.meta.dirname, 'revive-child.ts')
    const inside = `set -e; mkdir ${place.dir} ${place.dir}.disk; mount -t tmpfs -o size=300k none ${place.dir}.disk; mkdir ${place.dir}.disk/j`
    const shell = `${inside}; "$@" ${place.dir}.disk/j ${place.keyDir} ${place.desktop}; cp -r ${place.dir}.disk/j/. ${place.dir}/`
    const command = [process.execPath, '--import', 'tsx', '--conditions=@deskhand/source', child]
    const ran = spawnSync('unshare', ['-rm', 'bash', '-c', shell, 'sh', ...command], {
      encoding: 'utf8',
      cwd: resolve(import.meta.dirname, '../..'),
      timeout: 60_000,
    })
    expect(ran.stderr).toBe('')
    const told = JSON.parse(ran.stdout) as { before: number; failed: string; after: number[]; followed: number[] }
    expect(told.before).toBeGreaterThan(10)
    expect(told.failed).toBe('JOURNAL_FAILED')
    expect(told.after).toHaveLength(3)
    // A reader that was waiting is served on.
    expect(told.followed.at(-1)).toBe(told.after.at(-1))
    expect(await place.verify()).toMatchObject({ ok: true, tornBytes: 0 })
    const entries = place.entries()
    expect(entries.filter((e) => e.type === 'checkpoint' && e.why === 'opened')).toHaveLength(2)
    for (const seq of told.after) expect(entries[seq - 1]).toMatchObject({ seq, type: 'decided' })
  },
)
