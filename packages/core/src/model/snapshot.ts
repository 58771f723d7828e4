import { z } from 'zod'
import { Rect } from './geometry.ts'
import { Completeness, ElementNode } from './node.ts'

export const TextIndexEntry = z.object({
  text: z.string(),
  bounds: Rect.optional(),
  source: z.enum(['structure', 'ocr']),
  confidence: z.number(),
})

export const VisualDOMSnapshot = z.object({
  snapshotId: z.string(),
  timestamp: z.string(),
  activeApp: z
    .object({
      pid: z.number().optional(),
      appId: z.string().optional(),
      processName: z.string().optional(),
      title: z.string().optional(),
      windowHandle: z.string().optional(),
      bounds: Rect.optional(),
    })
    .optional(),
  tree: ElementNode.optional(),
  textIndex: z.array(TextIndexEntry).optional(),
  /** Why text in pixels is not in the index, where it was asked for. */
  textIndexReason: z.string().optional(),
  screenshot: z
    .object({
      hash: z.string(),
      width: z.number(),
      height: z.number(),
      encoding: z.string(),
      imageId: z.string(),
      /** Why parts of it are black, or all of it blank. */
      note: z.string().optional(),
    })
    .nullable()
    .optional(),
  /** Why the screenshot is null. */
  screenshotReason: z.string().optional(),
  driver: z.object({ kind: z.string(), name: z.string(), version: z.string(), capabilities: z.array(z.string()) }),
  completeness: Completeness,
})
export type VisualDOMSnapshot = z.infer<typeof VisualDOMSnapshot>
