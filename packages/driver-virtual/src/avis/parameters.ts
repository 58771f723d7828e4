import { z } from 'zod'
import { amountRatio, ClickType, elementId, pageCount, ratio, ScrollDirection } from './fields.ts'

/** The parameters of S2 §5's commands, by their own names. */

const within = { relative_x: ratio.nullish(), relative_y: ratio.nullish() }
const optionalTarget = { target_element_id: elementId.nullish() }

export const noArguments = z.strictObject({})
export const focusArguments = z.strictObject({ element_id: elementId })
export const clickArguments = z.strictObject({ element_id: elementId, click_type: ClickType.nullish(), ...within })
export const hoverArguments = z.strictObject({ element_id: elementId, ...within })
export const dragPlaceArguments = z.strictObject({
  source_element_id: elementId,
  target_window_relative_x: ratio,
  target_window_relative_y: ratio,
})
export const dragOntoArguments = z.strictObject({ source_element_id: elementId, target_element_id: elementId })
export const scrollArguments = z.strictObject({
  element_id: elementId.nullish(),
  direction: ScrollDirection,
  amount_ratio: amountRatio.nullish(),
  pages: pageCount.nullish(),
})
export const moveArguments = z.strictObject({ delta_x_ratio: z.number().min(-1).max(1), delta_y_ratio: z.number().min(-1).max(1) })
export const textArguments = z.strictObject({ text: z.string(), ...optionalTarget })
export const pressArguments = z.strictObject({ keys: z.array(z.string().min(1)).min(1), ...optionalTarget })
export const specialArguments = z.strictObject({ key_name: z.string().min(1), ...optionalTarget })
export const codeArguments = z.strictObject({ code_string: z.string() })
export const loadArguments = z.strictObject({ elements: z.array(z.unknown()) })
export const logArguments = z.strictObject({ limit: z.number().int().min(1).max(1000).optional() })
