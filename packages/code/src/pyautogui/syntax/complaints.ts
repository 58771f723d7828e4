import type { Source } from './source.ts'

/** A message of the parser library, reworded so that it says what to do. */
export function complaint(source: Source, reason: string, at: { lineno: number; col_offset: number }): string {
  const text = source.line(at.lineno)
  const rest = source.from(at)
  const [word = rest.trim().slice(0, 1)] = /^(?:\w+|'[^']*'|"[^"]*")/.exec(rest) ?? []
  switch (reason) {
    case 'Unexpected token in expression':
      return `${unexpected(word)}${/(?:\+\+|--)\s*$/.test(text) ? '; to count up write += 1' : ''}`
    case 'invalid syntax':
      return missing(word) + (/^\s*print\b(?!\s*\()/.test(text) ? '; print needs parentheses' : '')
    case 'Indentation error':
      return 'the indentation fits no line above'
    case 'Expected indented block':
      return `${reason}; an empty one needs pass`
    default:
      return /^Expected ':'/.test(reason) && /^=[^=]/.test(rest) ? `${reason}; to compare write ==` : reason
  }
}

function unexpected(word: string): string {
  if (word === '' || word === '#') return 'the end of the line is unexpected'
  return /^\w/.test(word) ? `the word ${word} is unexpected here` : `the sign ${word} is unexpected here`
}

const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

function missing(word: string): string {
  const opening = OPENING[word]
  if (opening !== undefined) return `'${word}' has no '${opening}' before it`
  return word === '' ? 'the line ends too soon' : `something is missing before ${word}: an operator, a comma or a line break`
}
