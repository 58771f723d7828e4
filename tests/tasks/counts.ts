import { existsSync, readFileSync } from 'node:fs'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'

/** A call as it went through a face, with what was answered. */
interface TapeEntry {
  face: 'mcp' | 'shell'
  tool: string
  asked: string
  answer: string
  pictures: number
  failed: boolean
}

export interface Counts {
  calls: number
  failed: number
  /** Estimated: what was asked and what was answered, without pictures. */
  tokens: number
  pictures: number
  /** Looks that directly follow an action: its answer was not enough. */
  looksAfter: string[]
}

const LOOK = /^(ui\.(snapshot|query|assert)|snapshot|find|shot|windows|input\.capture|gui_screenshot|desktop\.list)$/
const NOT_A_CALL = /^(help|-.*|skill|tools|status|doctor)$/

/** What a task cost an agent, as its tape says. */
export function countsOf(tape: string): Counts {
  const lines = existsSync(tape) ? readFileSync(tape, 'utf8').split('\n').filter(Boolean) : []
  const calls = lines.map((line) => JSON.parse(line) as TapeEntry).filter((c) => !NOT_A_CALL.test(c.tool) && !/ --?h(elp)?\b/.test(c.asked))
  return {
    calls: calls.length,
    failed: calls.filter((c) => c.failed).length,
    tokens: calls.reduce((sum, c) => sum + tokens(c.asked) + tokens(c.answer), 0),
    pictures: calls.reduce((sum, c) => sum + c.pictures, 0),
    looksAfter: calls.flatMap((call, i) => {
      const before = calls[i - 1]
      return before !== undefined && LOOK.test(call.tool) && !LOOK.test(before.tool)
        ? [`${before.tool} ${short(before.asked)} → ${call.tool} ${short(call.asked)}`]
        : []
    }),
  }
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
