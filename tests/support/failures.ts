import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import { SlowStart } from './starting.ts'

/** Files on real applications, which answer late on a busy machine. */
const LATE = /^tests\/(cli|console|linux|sandbox|stories|tasks|vision|wayland|windows)\//
/** Of those, the attacks and what they must not find: there one failure is a failure. */
const ATTACKS =
  /^tests\/linux\/(approval|deadman|delivery|grab|hostile|human|interpreters|judged-route|link|menu-keys|overlay|own|private-fields|reckless|release|roundabout)\./

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
      isLate(paths[i] ?? '') || errorsOf(module).every(({ name }) => name === SlowStart.name)
    writeFileSync(report, JSON.stringify({ again: unhandled.length === 0 && failed.every(mayAgain) ? paths : [] }))
  }
}

const isLate = (path: string): boolean => LATE.test(path) && !ATTACKS.test(path)

function errorsOf(module: TestModule): readonly SerializedError[] {
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  const tests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? [])
  return [...module.errors(), ...suites, ...tests]
}
