export { Bus, BusError } from './connection.ts'
export type { Message } from './message.ts'
export type { Body, Variant } from './signature.ts'
