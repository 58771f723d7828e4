// `npm test`: one run of everything. In CI a file in which an application did not come up beside the others, and nothing else failed, must then pass
// twice alone: that tells a busy machine from a fault. Everything else has one try.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TIMES_ALONE = 2

const folder = mkdtempSync(join(tmpdir(), 'dh-failures-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const { status, again } = vitest(process.argv.slice(2))
if (status === 0 || process.env.CI !== 'true' || again.length === 0) process.exit(status)
for (let time = 1; time <= TIMES_ALONE; time++) {
  process.stdout.write(`\n Alone, ${time} of ${TIMES_ALONE}: ${again.join(' ')}\n`)
  const { status } = vitest(['--maxWorkers=1', ...again])
  if (status !== 0) process.exit(status)
}
process.stdout.write(`\n Failed beside others and passed ${TIMES_ALONE} times alone: ${again.join(' ')}\n`)

/** Runs the tests; `again` is empty unless every failure may be tried again. */
function vitest(args) {
  const report = join(folder, 'failures.json')
  rmSync(report, { force: true })
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DESKHAND_FAILURES: report },
  })
  return { status: status ?? 1, again: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).again : [] }
}
