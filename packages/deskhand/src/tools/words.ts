import type { Result } from '@deskhand/core/model'
import { clip, json, visible } from '@deskhand/core/selector/quote'

/** What a model reads of a result: what became of it, the next step after an error, and what there is to see. */
export function words(result: Result): string {
  const { error, text, effect, resolvedTarget: t, via, sent, retry } = result
  const lines: string[] = []
  const again = `sent ${sent}, retry ${retry}`
  if (error !== undefined)
    lines.push(visible(`${error.code}: ${error.message} (${again})`), `Next: ${visible(error.next)}`, ...detailLines(error.details))
  else if (effect !== 'none') {
    const named = t === undefined ? '' : `: ${t.role}${t.name === undefined ? '' : ` ${clip(t.name)}`}`
    const id = t?.elementId === undefined ? '' : ` ${t.elementId}`
    lines.push(`${effect}${named}${id} (${via === undefined ? '' : `${via}, `}${again})`)
  }
  if (text !== undefined) lines.push(text)
  return lines.join('\n') || 'done'
}

interface Candidate {
  elementId: string
  shown: string
  selector: string
  failed?: string[]
}

/** Candidates are one line each, as in an outline; other details are JSON. */
function detailLines(details: unknown): string[] {
  if (details === undefined) return []
  const { candidates, ...rest } = Object(details) as { candidates?: unknown[] }
  if (!candidates?.every(isCandidate)) return [json(details)]
  const lines = candidates.map(
    (c) => `${c.elementId} ${c.shown}${c.failed === undefined ? ` = ${c.selector}` : ` fails ${c.failed.join(' and ')}`}`,
  )
  return Object.keys(rest).length === 0 ? lines : [...lines, json(rest)]
}

const isCandidate = (value: unknown): value is Candidate =>
  typeof value === 'object' && value !== null && 'shown' in value && 'elementId' in value
