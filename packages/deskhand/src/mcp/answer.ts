import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Result } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector/quote'

/** The text is what the model reads; the record is beside it as structured content. A composed tool answers in the shape that its own users know. */
export function toMcp(result: Result, composed = false): CallToolResult {
  const { text: _, images = [], ...record } = result
  const pictures = images.map((image) => ({
    type: 'image' as const,
    data: Buffer.from(image.data).toString('base64'),
    mimeType: image.mimeType,
  }))
  const isError = result.status === 'error'
  // Results with `text` are shown as text.
  const own = composed && result.text === undefined && isObject(record.data) ? record.data : undefined
  if (own === undefined) return { content: [{ type: 'text', text: words(result) }, ...pictures], structuredContent: { ...record }, isError }
  const { data: _data, ...beside } = record
  return {
    content: [
      { type: 'text', text: placed(result, own) + json(Array.isArray(own) ? own : { ...own, screenshot: undefined }) },
      ...pictures,
    ],
    structuredContent: { ...(Array.isArray(own) ? { items: own } : own), record: beside },
    isError,
  }
}

/** Where in a script something failed, as a person would be shown it, before the record. */
function placed({ error }: Result, own: object): string {
  const failure: unknown = 'error' in own ? own.error : undefined
  if (error === undefined || !isObject(failure) || !('where' in failure) || typeof failure.where !== 'string') return ''
  const lines = [`${error.code}: ${error.message}`, ...failure.where.split('\n'), `Next: ${error.next}`]
  return `${lines.map(visible).join('\n')}\n\n`
}

function words(result: Result): string {
  const { error, text, effect, resolvedTarget: t, via } = result
  const lines: string[] = []
  if (error !== undefined) lines.push(visible(`${error.code}: ${error.message}`), `Next: ${error.next}`)
  else if (effect !== 'none')
    lines.push(
      `${effect}${t === undefined ? '' : `: ${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}${t.elementId === undefined ? '' : ` ${t.elementId}`}`}${via === undefined ? '' : ` (${via})`}`,
    )
  if (error?.details !== undefined) lines.push(json(error.details))
  if (text !== undefined) lines.push(text)
  return lines.join('\n') || 'done'
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
