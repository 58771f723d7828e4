import { TIME_BOUNDS, type Counts } from '@deskhand/core/model'

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const HELP: Record<string, string> = {
  calls: 'Calls that ended, by kind of action.',
  errors: 'Calls that failed, by code.',
  decisions: 'What the policy decided.',
  approvals: 'Questions to a person, and what became of them.',
  targets: 'What calls touched, by how it was found; ocr and image are fallbacks.',
  tree_nodes: 'Elements in the replicated tree.',
  hung_applications: 'Applications that do not answer.',
}

/** The counts of several desktops in Prometheus' text form. */
export function prometheus(desktops: readonly { name: string; counts: Counts }[]): string {
  const families = new Map<string, string[]>()
  const add = (family: string, type: string, help: string, line: string): void => {
    const lines = families.get(family) ?? [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`]
    lines.push(line)
    families.set(family, lines)
  }
  for (const { name: desktop, counts } of desktops) {
    for (const { name, labels, value } of counts.counters)
      add(`deskhand_${name}_total`, 'counter', HELP[name] ?? '', `deskhand_${name}_total${labelled({ desktop, ...labels })} ${value}`)
    for (const { name, value } of counts.gauges)
      add(`deskhand_${name}`, 'gauge', HELP[name] ?? '', `deskhand_${name}${labelled({ desktop })} ${value}`)
    for (const { step, classes, count, sum } of counts.times) {
      const family = 'deskhand_step_seconds'
      const line = (suffix: string, labels: Record<string, string>, value: number): void =>
        add(
          family,
          'histogram',
          'How long each step of a call took; ask is a person’s time, call is all of it.',
          `${family}${suffix}${labelled({ desktop, step, ...labels })} ${value}`,
        )
      let below = 0
      for (const [i, bound] of TIME_BOUNDS.entries()) line('_bucket', { le: String(bound) }, (below += classes[i] ?? 0))
      line('_bucket', { le: '+Inf' }, count)
      line('_sum', {}, sum)
      line('_count', {}, count)
    }
  }
  return [...families.values()]
    .flat()
    .map((line) => `${line}\n`)
    .join('')
}

const labelled = (labels: Record<string, string>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`)
    .join(',')}}`
