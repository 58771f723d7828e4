import { z } from 'zod'
import { Rect } from './geometry.ts'

/** A place on the screen that was recognised in pixels. It can be a target without being an element of any tree. */
export const Region = z.object({
  rect: Rect,
  source: z.enum(['ocr', 'image']),
  confidence: z.number().min(0).max(1),
  /** What is written there. */
  text: z.string().optional(),
  /** What a recognizer calls it. */
  label: z.string().optional(),
  /** The picture that was found there, as the selector names it. */
  image: z.string().optional(),
})
export type Region = z.infer<typeof Region>
