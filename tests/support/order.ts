import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** How long a file of a room takes where it has not been timed yet, as in a fresh clone. */
const TYPICAL_MS: readonly [room: string, ms: number][] = [
  ['tests/stories/', 60_000],
  ['tests/python/', 50_000],
  ['tests/cli/', 40_000],
  ['tests/broker/', 35_000],
  ['tests/linux/', 30_000],
  ['tests/sandbox/', 25_000],
  ['packages/code/src/python/', 20_000],
  ['packages/core/src/driver/process/', 20_000],
  ['tests/journal/', 15_000],
  ['packages/code/', 5_000],
]

/** The longest files first, so that no worker is left alone with one at the end; those that share a process stay together, after the others. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
      .map((file) => ({ file, alone: file.project.config.isolate, ms: this.#expectedMs(file) }))
      .sort((a, b) => Number(b.alone) - Number(a.alone) || b.ms - a.ms)
      .map(({ file }) => file)
  }

  #expectedMs({ moduleId, project }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId)
    const last = this.ctx.cache.getFileTestResults(`${project.name}:${path}`)
    return last?.duration ?? TYPICAL_MS.find(([room]) => path.startsWith(room))?.[1] ?? 0
  }
}
