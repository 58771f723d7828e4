export * from './driver.ts'
export * from './wire.ts'
