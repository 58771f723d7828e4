import { blocksOf } from './fences.ts'
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

const DELIMITER = '---DELIMITER---'
const MAX_REPLY = 400_000
const INVISIBLE = /[\u200b\u2060\ufeff]/g
const LABEL = /^[ \t*_]*(?:action|code|answer)[*_ ]*:[*_ ]*(?=\S)/gim

/** Reads a model's reply: parts split by ---DELIMITER---, code with or without fences, and the words WAIT, DONE, FAIL. */
export function parseAgentReply(reply: string): AgentReply[] {
  const text = reply.slice(0, MAX_REPLY).replaceAll(/\r\n?/g, '\n').replaceAll(INVISIBLE, '')
  return read(withoutThoughts(text), 2)
}

/** Drops the reasoning between <think> tags. */
function withoutThoughts(text: string): string {
  let out = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<think', from)
    const end = start < 0 ? -1 : text.indexOf('</think', start)
    const after = end < 0 ? -1 : text.indexOf('>', end)
    if (after < 0) return out + text.slice(from)
    out += text.slice(from, start)
    from = after + 1
  }
}

function read(text: string, depth: number): AgentReply[] {
  return blocksOf(text, compiles).flatMap((part) => {
    const found = part.flatMap(({ language, text: block }): AgentReply[] => {
      if (language === undefined) return prose(block)
      if (/^(?:md|markdown)$/.test(language) && depth > 0) return read(block, depth - 1)
      return OTHER.test(language) ? words(block) : code(block)
    })
    // Text beside code only explains it.
    return found.some((f) => f.kind === 'script') ? found.filter((f) => f.kind !== 'text') : found
  })
}

const OTHER =
  /^(?:json|ya?ml|toml|xml|html|css|svg|(?:java|type)script|[jt]sx?|bash|sh|shell|zsh|console|powershell|cmd|sql|diff|c|cpp|java|rust|go)$/

/** Text outside of every fence. */
function prose(text: string): AgentReply[] {
  const plain = unquoted(text.trim()).replaceAll(LABEL, '')
  const inline = plain.includes(DELIMITER) && !compiles(plain)
  if (inline) return plain.split(DELIMITER).flatMap(prose)
  if (plain === '') return []
  if (commandOf(plain, 'i') || compiles(plain)) return code(plain)
  const lines = plain.split('\n')
  return CODE.test(plain) ? code(withoutProse(lines)) : lines.some((l) => explained(l)) ? told(lines) : words(plain)
}

const unquoted = (text: string): string => /^`([^`\n]+)`$/.exec(text)?.[1] ?? text
const words = (text: string): AgentReply[] => (text.trim() === '' ? [] : [{ kind: 'text', text: text.trim() }])

/** Text in which some lines are commands. */
function told(lines: readonly string[]): AgentReply[] {
  const out: AgentReply[] = []
  let from = 0
  for (const [i, line] of lines.entries()) {
    const found = explained(line)
    if (!found) continue
    out.push(...words(lines.slice(from, i).join('\n')), ...words(found.why), found.command)
    from = i + 1
  }
  return [...out, ...words(lines.slice(from).join('\n'))]
}

/** A block: a word, a script, or a script that ends in a word. */
function code(block: string): AgentReply[] {
  const whole = commandOf(block, 'i')
  if (whole) return [whole]
  const text = block.trimEnd().replace(/;$/, '')
  const cut = Math.max(text.lastIndexOf('\n'), text.lastIndexOf(';'))
  const last = cut < 0 ? undefined : commandOf(text.slice(cut + 1), '')
  const script = (last ? text.slice(0, cut) : block).trimEnd()
  return [...(script.trim() === '' ? [] : [{ kind: 'script', script: dedent(script) } as const]), ...(last ? [last] : [])]
}

type Command = { kind: 'wait' | 'done' | 'fail' }

function commandOf(line: string, flags: 'i' | ''): Command | undefined {
  return command(new RegExp(`^[\\s\`'"*_]*(WAIT|DONE|FAIL)[\\s\`'"*_.;!]*(?:#[^\\n]*)?$`, flags).exec(line)?.[1])
}

function command(word: string | undefined): Command | undefined {
  switch (word?.toUpperCase()) {
    case 'WAIT':
      return { kind: 'wait' }
    case 'DONE':
      return { kind: 'done' }
    case 'FAIL':
      return { kind: 'fail' }
    default:
      return undefined
  }
}

/** A command alone on its line, or with its reason after it. */
function explained(line: string): { command: Command; why: string } | undefined {
  const alone = commandOf(line, '')
  if (alone) return { command: alone, why: '' }
  const [start = '', word] = /^[\s`'"*_]*(WAIT|DONE|FAIL)[`'"*_]*(?:\s*[:.!,;–—-]+\s|\s*\(|\s(?=\d))/.exec(line) ?? []
  const found = command(word)
  return found && { command: found, why: line.slice(start.length).trim().replace(/\)$/, '') }
}

/** A line that looks like code, so that validation can say what is wrong with it. */
const CODE = /^[ \t]*(?:import |from \S+ import |#|(?:pyautogui|pg|time|pyperclip)\.\w+\()/m
const ATTEMPTS = 20

/** Code without the sentences before and after it, where that makes it a script. */
function withoutProse(lines: readonly string[]): string {
  const last = lines.findLastIndex((l) => CODE.test(l) || explained(l)) + 1
  for (let from = 0; from < Math.min(lines.length, ATTEMPTS); from++)
    for (const to of [lines.length, last]) {
      const part = lines.slice(from, to).join('\n')
      if (CODE.test(part) && code(part).every((found) => found.kind !== 'script' || compiles(found.script))) return part
    }
  return lines.join('\n')
}

function compiles(text: string): boolean {
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
