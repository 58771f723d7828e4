import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import { SlowStart } from './starting.ts'

/**
 * Files in which real applications answer late on a busy machine. What tells whether the tree is true (most of tests/linux) is not among them, and no
 * attack: there one failure is a failure.
 */
const LATE =
  /^tests\/((cli|console|sandbox|stories|tasks|vision|wayland|windows)\/|linux\/(added-driver|airbag|answers|capture|contract|driver|editing|faults|frames|java|libreoffice|mcp-driver|sign|typing|verbs)\.)/

/**
 * Writes down which failed files may be tried again (`scripts/test.mjs`): those, and any file in which applications only did not start. None where
 * anything else failed too.
 */
export default class Failures implements Reporter {
  #root = ''

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const report = process.env['DESKHAND_FAILURES']
    if (report === undefined) return
    const failed = modules.filter((module) => !module.ok())
    const paths = failed.map((module) => relative(this.#root, module.moduleId))
    const mayAgain = (module: TestModule, i: number): boolean =>
      LATE.test(paths[i] ?? '') || errorsOf(module).every(({ name }) => name === SlowStart.name)
    writeFileSync(report, JSON.stringify({ again: unhandled.length === 0 && failed.every(mayAgain) ? paths : [] }))
  }
}

function errorsOf(module: TestModule): readonly SerializedError[] {
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  const tests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? [])
  return [...module.errors(), ...suites, ...tests]
}
