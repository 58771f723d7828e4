import type { Result } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector/quote'

/** What a model reads of a result: what became of it, the next step after an error, and what there is to see. */
export function words(result: Result): string {
  const { error, text, effect, resolvedTarget: t, via, sent, retry } = result
  const lines: string[] = []
  const again = `sent ${sent}, retry ${retry}`
  if (error !== undefined)
    lines.push(...messageOf(error, again), `Next: ${visible(error.next)}`, ...detailLines(error.details, error.message))
  else if (effect !== 'none') {
    const named = t === undefined ? '' : `: ${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}`
    const id = t?.elementId === undefined ? '' : ` ${t.elementId}`
    lines.push(`${effect}${named}${id} (${via === undefined ? '' : `${via}, `}${again})`)
  }
  if (text !== undefined) lines.push(text)
  return lines.join('\n') || 'done'
}

/** Only a selector's mistake takes several lines: they mark its column, and hold nothing but the caller's own text. */
function messageOf({ code, message }: NonNullable<Result['error']>, again: string): string[] {
  return code === 'BAD_SELECTOR' ? `${code}: ${message}`.split('\n').map(visible) : [visible(`${code}: ${message} (${again})`)]
}

interface Candidate {
  elementId: string
  shown: string
  selector: string
  failed?: string[]
}

/** Candidates are one line each, as in an outline, without what the message says already; other details are JSON. */
export function detailLines(details: unknown, message = ''): string[] {
  if (details === undefined) return []
  const { candidates, ...rest } = Object(details) as { candidates?: unknown[] }
  // The message marks the column.
  if ('column' in rest) return []
  if (!candidates?.every(isCandidate)) return [json(details)]
  const lines = candidates.map((c) => `${c.elementId} ${c.shown}${c.failed === undefined ? ` = ${c.selector}` : failing(c, message)}`)
  return Object.keys(rest).length === 0 ? lines : [...lines, json(rest)]
}

/** What a near miss fails, as far as neither the message nor its own line says it. */
function failing({ shown, failed = [] }: Candidate, message: string): string {
  const untold = failed.filter((one) => !message.includes(one) && !shown.includes(/\(it is (.*)\)$/s.exec(one)?.[1] ?? one))
  return untold.length === 0 ? '' : ` fails ${untold.join(' and ')}`
}

const isCandidate = (value: unknown): value is Candidate =>
  typeof value === 'object' && value !== null && 'shown' in value && 'elementId' in value
