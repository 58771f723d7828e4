export * from './policy.ts'
