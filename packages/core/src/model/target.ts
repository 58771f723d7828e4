import { z } from 'zod'
import { Point, Rect } from './geometry.ts'
import { AppIdentity, States } from './node.ts'

/** `desktop` is the injection space, `window` starts at a window's corner, `image` is a screenshot's pixels, `unit` is 0..1. */
export const CoordinateSpace = z.enum(['desktop', 'window', 'image', 'unit'])
export type CoordinateSpace = z.infer<typeof CoordinateSpace>

/** An element id looks like `e12`; any other string is a selector. */
const ELEMENT_ID = /^e\d+$/

export const ElementRef = z.strictObject({ elementId: z.string().regex(ELEMENT_ID), snapshotId: z.string().optional() })
export type ElementRef = z.infer<typeof ElementRef>

/** How an agent names an element: a selector, or the id that an outline showed. */
export const Target = z
  .union([z.string().min(1), z.strictObject({ selector: z.string().min(1) }), ElementRef, z.strictObject({ elementRef: ElementRef })])
  .describe('an element id from the outline ("e12"), a selector string, { selector }, or { elementRef: { snapshotId, elementId } }')
  .transform((t): { selector: string } | ElementRef => {
    if (typeof t !== 'string') return 'elementRef' in t ? t.elementRef : t
    return ELEMENT_ID.test(t) ? { elementId: t } : { selector: t }
  })
export type Target = z.output<typeof Target>

/** How the touched thing was found: policy trusts structure more than pixels. */
export const TargetSource = z.enum(['structure', 'focus', 'pixel', 'ocr', 'image', 'none'])

/** What would really be touched: what policy judges, approvals bind, and the journal keeps. */
export const TargetFacts = z.object({
  key: z.string().optional(),
  elementId: z.string().optional(),
  role: z.string(),
  name: z.string().optional(),
  value: z.string().optional(),
  /** What a person reads on it beside its name: the texts in it, its hint, and the control that it is a part of. */
  says: z.array(z.string()).optional(),
  bounds: Rect.optional(),
  states: States.optional(),
  app: AppIdentity.optional(),
  window: z
    .object({
      key: z.string(),
      title: z.string().optional(),
      role: z.string(),
      bounds: Rect.optional(),
      /** What a dialog says. */
      says: z.array(z.string()).optional(),
      /** The address of the page that a browser's window shows. */
      url: z.string().optional(),
    })
    .optional(),
  /** The address of the page that it is a part of; empty when that is not told. */
  url: z.string().optional(),
  /** The addresses of the pages that this one is a frame of, from the inside out. */
  pages: z.array(z.string()).optional(),
  /** Names from the window down to the node, for people. */
  path: z.array(z.string()),
  at: Point.optional(),
  /** The place that was recognised in pixels, where the target is one. */
  region: Rect.optional(),
  source: TargetSource,
  /** It is not what the call names: the events of the call reach it, and this is what they do to it. */
  reached: z.enum(['click', 'type']).optional(),
  selector: z.string().optional(),
  /** It is on the screen and no tree tells what it is. */
  unread: z.boolean().optional(),
  /** How far it has moved since the caller last saw it, where that is more than a little. */
  driftPx: z.number().optional(),
  confidence: z.number(),
  why: z.array(z.string()),
})
export type TargetFacts = z.infer<typeof TargetFacts>

/** Where a text was before it is entered elsewhere: the application, and its window and address where it has them. Nothing is known of an empty one. */
export const TextSource = z.object({ app: AppIdentity.optional(), window: z.string().optional(), url: z.string().optional() })
export type TextSource = z.infer<typeof TextSource>
