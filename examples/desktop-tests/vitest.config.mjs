export default { test: { include: ['vitest/*.test.ts'], testTimeout: 30_000 } }
