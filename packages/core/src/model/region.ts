import { z } from 'zod'
import { Rect } from './geometry.ts'

/** A place on the screen that was recognised in pixels. It can be a target without being an element of any tree. */
export const Region = z.object({
  rect: Rect,
  source: z.enum(['ocr', 'image']),
  confidence: z.number().min(0).max(1),
  /** What is written there. */
  text: z.string().optional(),
  /** The words of a line of text. */
  words: z.array(z.object({ text: z.string(), rect: Rect, confidence: z.number() })).optional(),
  /** What was really read, where `text` is what was looked for, and how many characters of it differ. */
  read: z.string().optional(),
  off: z.number().optional(),
  /** What a recognizer calls it. */
  label: z.string().optional(),
  /** The picture that was found there, as the selector names it. */
  image: z.string().optional(),
})
export type Region = z.infer<typeof Region>
