import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'

/** Files on real applications, which come up and answer late on a busy machine. */
const ON_APPLICATIONS = /^tests\/(cli|console|linux|sandbox|stories|tasks|vision|wayland|windows)\//
/** Of those, the attacks and what they must not find: there one failure is a failure. */
const ATTACKS =
  /^tests\/linux\/(approval|deadman|delivery|grab|hostile|human|interpreters|judged-route|menu-keys|overlay|own|private-fields|reckless|release|roundabout)\./

/** Writes down which failed files may be tried again (`scripts/test.mjs`); none where anything else failed too. */
export default class Failures implements Reporter {
  #root = ''

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const report = process.env['DESKHAND_FAILURES']
    if (report === undefined) return
    const failed = modules.filter((module) => !module.ok()).map((module) => relative(this.#root, module.moduleId))
    const canAll = unhandled.length === 0 && failed.every((path) => ON_APPLICATIONS.test(path) && !ATTACKS.test(path))
    writeFileSync(report, JSON.stringify({ again: canAll ? failed : [] }))
  }
}
