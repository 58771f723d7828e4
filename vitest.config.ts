import { defineConfig } from 'vitest/config'

const conditions = ['@deskhand/source', 'node', 'import', 'module', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions }, noExternal: [/^@deskhand\//, 'deskhand'] },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/sweep.ts'],
    setupFiles: ['tests/seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real applications on a busy machine: one more try tells a slow start from a fault. Both tries are printed.
    retry: process.env['CI'] === 'true' ? 1 : 0,
  },
})
