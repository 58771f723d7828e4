import { compile } from './validate.ts'

/** What one part of a model's reply asks for. */
export type AgentReply =
  | { kind: 'script'; script: string }
  /** Look again later. */
  | { kind: 'wait' }
  /** The task is complete. */
  | { kind: 'done' }
  /** The task cannot be done. */
  | { kind: 'fail' }
  /** Words without code. */
  | { kind: 'text'; text: string }

const DELIMITER = /^[ \t]*-{3}DELIMITER-{3}[ \t]*$/m
const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm
const WORDS = { WAIT: 'wait', DONE: 'done', FAIL: 'fail' } as const
const MAX_REPLY = 400_000

/** Reads a model's reply: parts split by ---DELIMITER---, code with or without fences, and the words WAIT, DONE, FAIL. */
export function parseAgentReply(reply: string): AgentReply[] {
  return reply.slice(0, MAX_REPLY).replaceAll(/\r\n?/g, '\n').split(DELIMITER).flatMap(part)
}

function part(text: string): AgentReply[] {
  const blocks = [...text.matchAll(FENCE)].map((m) => m[2] ?? '')
  if (blocks.length > 0) return blocks.flatMap(code)
  const plain = text.trim()
  if (plain === '') return []
  if (commandOf(plain) || looksLikeCode(plain)) return code(text)
  return [{ kind: 'text', text: plain }]
}

/** A block: a word, a script, or a script that ends in a word. */
function code(block: string): AgentReply[] {
  const lines = block.replace(/\s+$/, '').split('\n')
  const last = commandOf(lines.at(-1) ?? '')
  const script = (last ? lines.slice(0, -1) : lines).join('\n')
  return [...(script.trim() === '' ? [] : [{ kind: 'script', script: dedent(script) } as const]), ...(last ? [last] : [])]
}

function commandOf(line: string): { kind: 'wait' | 'done' | 'fail' } | undefined {
  const word = /^[\s`'"*]*(WAIT|DONE|FAIL)[\s`'"*.;]*$/.exec(line)?.[1]
  return word === 'WAIT' || word === 'DONE' || word === 'FAIL' ? { kind: WORDS[word] } : undefined
}

/** Text that runs, or that mentions a call: then the checks can say what is wrong with it. */
function looksLikeCode(text: string): boolean {
  if (/^[ \t]*(?:import |from \S+ import |#|(?:pyautogui|pg|time|pyperclip)\.\w+\()/m.test(text)) return true
  try {
    compile(text)
    return true
  } catch {
    return false
  }
}

function dedent(script: string): string {
  const [indent = ''] = /^[ \t]*(?=\S)/m.exec(script) ?? []
  const lines = script.split('\n')
  if (indent === '' || !lines.every((l) => l.trim() === '' || l.startsWith(indent))) return script.replace(/^\n+/, '')
  return lines
    .map((l) => l.slice(indent.length))
    .join('\n')
    .replace(/^\n+/, '')
}
