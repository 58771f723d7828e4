import { readdirSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { Report } from './report.ts'

const args = process.argv.slice(2)
const name = args.find((a) => !a.startsWith('-'))
const suites = readdirSync(new URL('.', import.meta.url))
  .filter((f) => f.endsWith('.suite.ts'))
  .map((f) => f.replace('.suite.ts', ''))

if (name === undefined || !suites.includes(name)) {
  process.stderr.write(`usage: npm run bench -- <suite> [--json]\nsuites: ${suites.join(', ')}\n`)
  process.exit(2)
}

const head = () =>
  `${name}: node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()
    .map((l) => l.toFixed(2))
    .join(' ')}`
process.stderr.write(`${head()} before\n`)
const report = new Report()
const { default: suite } = (await import(`./${name}.suite.ts`)) as { default: (report: Report) => Promise<void> }
await suite(report)
process.stdout.write(args.includes('--json') ? `${JSON.stringify(report.rows)}\n` : `${head()} after\n${report.table()}\n`)
process.exit(0)
