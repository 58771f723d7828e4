import { agents } from './linux/agents.ts'
import { trees } from './linux/trees.ts'
import type { Report } from './report.ts'

/** A real desktop: what it costs to see and to operate it, beside those who do it, too. */
export default async function linux(report: Report): Promise<void> {
  const only = process.env['BENCH_ONLY']
  if (only === undefined || only === 'agents') await agents(report)
  if (only === undefined || only === 'trees') await trees(report)
}
