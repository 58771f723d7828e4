/** One measured figure, as `--json` prints it. */
export interface Row {
  name: string
  unit: string
  ours: number
  peer?: number
  peerName?: string
  /** How many times better than the peer; above 1 is ours. */
  ratio?: number
  bar?: string
  ok?: boolean
}

export interface Bar {
  /** The figure itself, or the ratio to the peer. */
  of: 'ours' | 'ratio'
  atLeast?: number
  atMost?: number
}

/** Collects the figures of a suite. */
export class Report {
  readonly rows: Row[] = []

  /** Why a figure is missing, told at once. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  add(row: { name: string; unit: string; ours: number; peer?: number; peerName?: string; better?: 'lower' | 'higher'; bar?: Bar }): void {
    const { better = 'lower', bar, ...rest } = row
    const full: Row = { ...rest, ours: round(row.ours) }
    if (row.peer !== undefined) {
      full.peer = round(row.peer)
      if (row.peer > 0 && row.ours > 0) full.ratio = round(better === 'lower' ? row.peer / row.ours : row.ours / row.peer)
    }
    if (bar !== undefined) {
      const figure = bar.of === 'ours' ? row.ours : full.ratio
      full.bar = `${bar.of} ${bar.atLeast !== undefined ? `>= ${bar.atLeast}` : `<= ${bar.atMost}`}`
      // Beside a peer that does not run here nothing is reached and nothing missed.
      if (figure !== undefined) full.ok = figure >= (bar.atLeast ?? -Infinity) && figure <= (bar.atMost ?? Infinity)
    }
    this.rows.push(full)
  }

  table(): string {
    const head = ['', 'ours', 'peer', 'ratio', 'bar', '']
    const body = this.rows.map((r) => [
      r.name,
      `${r.ours} ${r.unit}`,
      r.peer === undefined ? '' : `${r.peer} ${r.peerName ?? ''}`,
      r.ratio === undefined ? '' : `${r.ratio}x`,
      r.bar ?? '',
      r.ok === undefined ? '' : r.ok ? 'ok' : 'MISSED',
    ])
    const widths = head.map((_, i) => Math.max(...[head, ...body].map((row) => row[i]?.length ?? 0)))
    return [head, ...body]
      .map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')
  }
}

const round = (n: number): number => Number(n.toPrecision(4))

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** How long one piece of work takes, in milliseconds. */
export async function spent(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The median time of one run in milliseconds, after a few to warm up. */
export async function time(runs: number, work: (i: number) => unknown, warmup = Math.min(runs, 5)): Promise<number> {
  const times: number[] = []
  for (let i = -warmup; i < runs; i++) {
    const ms = await spent(() => work(i))
    if (i >= 0) times.push(ms)
  }
  return median(times)
}

/** Runs per second over a stretch of time. */
export async function rate(ms: number, work: (i: number) => unknown): Promise<number> {
  for (let i = 0; i < 200; i++) await work(i)
  const start = performance.now()
  let n = 0
  while (performance.now() - start < ms) await work(n++)
  return (n / (performance.now() - start)) * 1000
}
