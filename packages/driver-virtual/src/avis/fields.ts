import { z } from 'zod'

/** The fields that S2's commands and dictionaries share. */
export const elementId = z.string().min(1)
/** A place in an element or window: 0 is its left or upper edge, 1 the other one. */
export const ratio = z.number().min(0).max(1)
export const ClickType = z.enum(['left', 'right', 'double'])
export const ScrollDirection = z.enum(['up', 'down', 'left', 'right'])
export const amountRatio = z.number().min(0).max(100)
export const pageCount = z.number().int().min(0).max(1000)
