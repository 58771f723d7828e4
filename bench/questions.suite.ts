import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Questions } from '../tests/support/questions.ts'
import type { Report } from './report.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const PEER = 'by what is named alone'

/** What a person at their own desktop would have been asked under `supervised` while all tasks and stories are carried out. */
export default async function questions(report: Report): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-questions-'))
  const file = join(dir, 'questions')
  try {
    const runs: [works: string, ...args: string[]][] = [
      ['tasks', '--config', 'vitest.long.config.ts', 'tests/tasks'],
      ['stories', 'tests/stories'],
    ]
    for (const [works, ...args] of runs) {
      const run = spawn(process.execPath, [VITEST, 'run', ...args], {
        cwd: ROOT,
        env: { ...process.env, DESKHAND_QUESTIONS: `${file}-${works}` },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const [code] = (await once(run, 'exit')) as [number | null]
      if (code !== 0) report.note(`not all ${works} were carried out`)
      const all = readFileSync(`${file}-${works}`, 'utf8').split('\n').filter(Boolean)
      const found = all.map((line) => JSON.parse(line) as Questions & { work: string })
      for (const one of found) {
        report.add({ name: `${one.work}, ${one.calls} calls`, unit: '', ours: count(one), peer: one.named, peerName: PEER })
        for (const what of [...one.asked, ...one.denied.map((denied) => `denied: ${denied}`)]) report.note(`${one.work}: ${what}`)
      }
      const calls = sum(found.map((one) => one.calls))
      const [ours, peer] = [sum(found.map(count)), sum(found.map((one) => one.named))]
      report.add({ name: `all ${found.length} ${works}, ${calls} calls`, unit: '', ours, peer, peerName: PEER })
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const count = ({ asked, denied }: Questions): number => asked.length + denied.length
const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0)
