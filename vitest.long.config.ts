import { defineConfig } from 'vitest/config'
import { run } from './vitest.config.ts'

/** What takes minutes and says little new from one change to the next: whole corpora, and every generated case. Never retried. */
export default defineConfig({
  ...run,
  test: {
    ...run.test,
    include: [
      'packages/*/src/**/*.long.test.ts',
      'tests/**/*.long.test.ts',
      'packages/code/src/pyautogui/{differential,fuzz}.test.ts',
      'tests/console/console.test.ts',
      'tests/http/moving-secrets.test.ts',
    ],
    env: { DESKHAND_CASES: '1', DESKHAND_MOVING_SECONDS: '60' },
  },
})
