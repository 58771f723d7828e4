/** The simple commands of a shell line, each as its words. Good enough to see which programs a line starts; it is not run from this. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let word: string | undefined
  const endWord = (): void => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = (): void => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i)
    if (c === '\\') word = (word ?? '') + line.charAt(++i)
    else if (c === "'" || c === '"') {
      const end = closing(line, i, c)
      word = (word ?? '') + unescape(line.slice(i + 1, end), c)
      i = end
    } else if (c === '&' && (line[i - 1] === '>' || line[i + 1] === '>')) word = (word ?? '') + c
    else if (';&|\n(){}`'.includes(c)) endCommand()
    else if (c === '#' && word === undefined) break
    else if (/\s/.test(c)) endWord()
    else word = (word ?? '') + c
  }
  endCommand()
  return commands
}

/** The programs that a line starts, without their folders, seen through what merely runs another one. */
export function programsOf(line: string, depth = 0): { program: string; args: string[] }[] {
  return commandsOf(line).flatMap((words) => {
    const at = words.findIndex((w) => !/^\w+=/.test(w) && !RUNNERS.has(w) && !w.startsWith('-'))
    const [path, ...args] = at < 0 ? [] : words.slice(at)
    if (path === undefined) return []
    const program = path.slice(path.lastIndexOf('/') + 1)
    const script = SHELLS.has(program) && args[0] === '-c' ? args[1] : undefined
    return script !== undefined && depth < 3 ? programsOf(script, depth + 1) : [{ program, args }]
  })
}

const RUNNERS: ReadonlySet<string> = new Set([
  'exec',
  'nohup',
  'sudo',
  'env',
  'setsid',
  'command',
  'nice',
  'time',
  '!',
  'then',
  'do',
  'if',
  'while',
])
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh'])

function closing(line: string, from: number, quote: string): number {
  for (let i = from + 1; i < line.length; i++) {
    if (line[i] === quote) return i
    if (quote === '"' && line[i] === '\\') i++
  }
  return line.length
}

const unescape = (text: string, quote: string): string => (quote === '"' ? text.replaceAll(/\\(["\\$`])/g, '$1') : text)
