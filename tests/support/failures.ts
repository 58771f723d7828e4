import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import { SlowStart } from './starting.ts'

/** Writes down which failed files may be tried again (`scripts/test.mjs`): those in which applications only did not start; none where anything else failed too. */
export default class Failures implements Reporter {
  #root = ''

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const report = process.env['DESKHAND_FAILURES']
    if (report === undefined) return
    const failed = modules.filter((module) => !module.ok())
    const slow = unhandled.length === 0 && failed.every((module) => errorsOf(module).every(({ name }) => name === SlowStart.name))
    writeFileSync(report, JSON.stringify({ again: slow ? failed.map(({ moduleId }) => relative(this.#root, moduleId)) : [] }))
  }
}

function errorsOf(module: TestModule): readonly SerializedError[] {
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  const tests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? [])
  return [...module.errors(), ...suites, ...tests]
}
