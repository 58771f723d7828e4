export * from './driver.ts'
export * from './host.ts'
export * from './spawn.ts'
export * from './wire.ts'
