export * from './journal.ts'
