import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const SHOWN = 10

/** Ends a whole run with its slowest files, so that a file that grows is seen when it grows. */
export default class Slowest implements Reporter {
  #root = ''

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    const timed = modules.map((module) => ({ path: relative(this.#root, module.moduleId), ms: module.diagnostic().duration }))
    const lines = timed
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
      .map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`)
    process.stdout.write(`\n The ${SHOWN} slowest files\n${lines.join('\n')}\n`)
  }
}
