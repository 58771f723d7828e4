import { z } from 'zod'
import { keyProblem, toKey } from './keys.ts'

export const Button = z.enum(['left', 'right', 'middle'])
export type Button = z.infer<typeof Button>

export const PointerEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('move'), x: z.number(), y: z.number() }),
  z.object({ type: z.enum(['down', 'up']), button: Button }),
  /** Wheel notches; positive is right and down. */
  z.object({ type: z.literal('wheel'), dx: z.number(), dy: z.number() }),
  z.object({ type: z.literal('pause'), ms: z.number() }),
])
export type PointerEvent = z.infer<typeof PointerEvent>

/** Each key has one spelling, so that what is judged as a key is that key wherever it is sent: a line break is Enter and no character. */
const Key = z.string().refine((key) => toKey(key) === key, { error: ({ input }) => keyProblem(String(input)) })

/** Keys carry canonical names (`toKey`): 'a', 'Enter', 'Control'. What is still down when the lease is dropped is released. */
export const KeyEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['down', 'up']), key: Key }),
  z.object({ type: z.literal('pause'), ms: z.number() }),
])
export type KeyEvent = z.infer<typeof KeyEvent>

/** What an operator does through the live picture. */
export const InputEvent = z.union([
  z.strictObject({ type: z.literal('move'), x: z.number(), y: z.number() }),
  z.strictObject({ type: z.enum(['down', 'up']), button: Button }),
  z.strictObject({ type: z.enum(['down', 'up']), key: z.string().min(1).max(20) }),
  z.strictObject({ type: z.literal('wheel'), dx: z.number().min(-50).max(50), dy: z.number().min(-50).max(50) }),
  /** Into the clipboard, where the configuration lets an operator's clipboard in. */
  z.strictObject({ type: z.literal('clipboard'), text: z.string().max(256 * 1_024) }),
])
export type InputEvent = z.infer<typeof InputEvent>

export const WindowOp = z.enum(['activate', 'move', 'resize', 'minimize', 'maximize', 'restore', 'close'])
export type WindowOp = z.infer<typeof WindowOp>
