import { agents, jobsAlone } from './linux/agents.ts'
import { desktop } from './linux/desktop.ts'
import { input } from './linux/input.ts'
import { large } from './linux/large.ts'
import { screen } from './linux/screen.ts'
import { settling } from './linux/settling.ts'
import { trees } from './linux/trees.ts'
import { wayland } from './linux/wayland.ts'
import type { Report } from './report.ts'

const PARTS = { agents, trees, large, input, settling, screen, desktop, wayland }
/** Parts of parts, which run only where they are named. */
const ALONE = { jobs: jobsAlone }

/** A real desktop: what it costs to see and to operate it, beside those who do it, too. DESKHAND_BENCH names one part to run alone. */
export default async function linux(report: Report): Promise<void> {
  const only = process.env['DESKHAND_BENCH']
  for (const [name, part] of Object.entries(only === undefined ? PARTS : { ...PARTS, ...ALONE }))
    if (only === undefined || only === name) await part(report)
}
