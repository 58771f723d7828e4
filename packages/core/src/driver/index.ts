export * from './driver.ts'
