import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Result } from '@deskhand/core/model'
import { json } from '@deskhand/core/selector/quote'
import { words } from '../tools/words.ts'
import type { Describe } from './describe.ts'

/** The text is what the model reads; the record is beside it as structured content. A composed tool answers in the shape that its own users know. */
export function toMcp(result: Result, composed = false, describe: Describe = 'full'): CallToolResult {
  const { text: _, images = [], ...all } = result
  const record = describe === 'short' ? withoutAllowance(all) : all
  const pictures = images.map((image) => ({
    type: 'image' as const,
    data: Buffer.from(image.data).toString('base64'),
    mimeType: image.mimeType,
  }))
  const isError = result.status === 'error'
  // Results with `text` are shown as text.
  const own = composed && isObject(record.data) ? record.data : undefined
  if (own === undefined) return { content: [{ type: 'text', text: words(result) }, ...pictures], structuredContent: { ...record }, isError }
  const { data: _data, ...beside } = record
  // A picture is sent once, as image content.
  const told = pictures.length > 0 && 'screenshot' in own ? { ...own, screenshot: undefined } : own
  return {
    content: [
      {
        type: 'text',
        text: result.text === undefined ? json(told) : words(result),
      },
      ...pictures,
    ],
    structuredContent: { ...(Array.isArray(told) ? { items: told } : told), record: beside },
    isError,
  }
}

/** Many clients put the record before the model, too, for which nothing follows from what was simply allowed. */
function withoutAllowance<R extends Pick<Result, 'decision' | 'risk'>>(record: R): R {
  return record.decision?.verdict === 'allow' ? { ...record, decision: undefined, risk: undefined } : record
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
