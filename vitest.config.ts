import { availableParallelism } from 'node:os'
import { defineConfig, type UserWorkspaceConfig, type ViteUserConfig } from 'vitest/config'
import Failures from './tests/support/failures.ts'
import LongestFirst from './tests/support/order.ts'
import Slowest from './tests/support/slowest.ts'

const conditions = ['@deskhand/source', 'node', 'import', 'module', 'default']

const ALL = ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts']
/** Minutes of generated cases, kills and soaks: `npm run test:long`. */
const LONG = '**/*.long.test.ts'
/** Tests that start no process: these share theirs, and load the sources once. */
const IN_PROCESS = [
  'packages/{console,driver-linux,driver-virtual,driver-windows,vision}/src/**/*.test.ts',
  'packages/code/src/pyautogui/**/*.test.ts',
  'packages/core/src/!(driver|platform)/**/*.test.ts',
  'packages/core/src/driver/!(process)/**/*.test.ts',
  'packages/deskhand/src/!(desktop)/**/*.test.ts',
  'tests/{sdk,session,tools,virtual}/**/!(ask|ocr).test.ts',
  'tests/repository/{house,layers,requirements}.test.ts',
]

/** Only ends what hangs: a test that starts ten processes beside other work on the machine is slow and right. */
const PATIENT_MS = 120_000

/** What every test needs. */
const common = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions }, noExternal: [/^@deskhand\//, 'deskhand'] },
  test: {
    setupFiles: ['tests/support/seed.ts'],
    testTimeout: PATIENT_MS,
    hookTimeout: PATIENT_MS,
    expect: { poll: { timeout: 20_000 } },
    // With more of them, real applications on two cores answer so late that tests of attacks and screens met windows of the case before.
    maxWorkers: Number(process.env['VITEST_MAX_WORKERS'] ?? availableParallelism()),
  },
} satisfies UserWorkspaceConfig

/** A run as a whole, the quick one or the long one. */
export const run = {
  ...common,
  test: {
    ...common.test,
    globalSetup: ['tests/support/built.ts', 'tests/support/sweep.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new Slowest(), new Failures()],
  },
} satisfies ViteUserConfig

// Not `extends`: each project would do the global setup again.
const project = (test: UserWorkspaceConfig['test']): UserWorkspaceConfig => ({ ...common, test: { ...common.test, ...test } })

export default defineConfig({
  ...run,
  test: {
    ...run.test,
    projects: [
      project({ name: 'in process', include: IN_PROCESS, exclude: [LONG], isolate: false }),
      project({ name: 'processes', include: ALL, exclude: [LONG, ...IN_PROCESS] }),
    ],
  },
})
