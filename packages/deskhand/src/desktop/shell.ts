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
      const quoted = line.slice(i + 1, end)
      word = (word ?? '') + unescape(quoted, c)
      if (c === '"') for (const [, a, b] of quoted.matchAll(/\$\(([^)]*)\)|`([^`]*)`/g)) commands.push(...commandsOf(a ?? b ?? ''))
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

export interface Program {
  /** Without its folder. */
  program: string
  args: string[]
  /** The variables that are set for it alone. */
  sets: string[]
}

/** The programs that a line starts, seen through what merely runs another one. */
export function programsOf(line: string, depth = 0): Program[] {
  return commandsOf(line).flatMap((words) => {
    const at = programAt(words)
    const [path, ...args] = words.slice(at)
    if (path === undefined) return []
    const program = nameOf(path)
    const script = SHELLS.has(program) ? args[args.findIndex((a) => /^-\w*c$/.test(a)) + 1 || args.length] : undefined
    if (script !== undefined && depth < 3) return programsOf(script, depth + 1)
    return [{ program, args, sets: words.slice(0, at).flatMap((w) => ASSIGNMENT.exec(w)?.[1] ?? []) }]
  })
}

const ASSIGNMENT = /^(\w+)=/
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Where in a command its program stands, behind assignments and what merely runs another one. */
function programAt(words: readonly string[]): number {
  let at = 0
  for (;;) {
    while (ASSIGNMENT.test(words[at] ?? '')) at++
    const runner = RUNNERS.get(nameOf(words[at] ?? ''))
    if (runner === undefined) return at
    at++
    for (let word = words[at]; word?.startsWith('-') || ASSIGNMENT.test(word ?? ''); word = words[at]) {
      at += word?.length === 2 && runner.valued.includes(word.charAt(1)) ? 2 : 1
      if (word === '--') break
    }
    at += runner.words
  }
}

/** The letters of its options that take a value, and how many words come before the program. */
const runner = (name: string, valued = '', words = 0): [string, { valued: string; words: number }] => [name, { valued, words }]

const RUNNERS: ReadonlyMap<string, { valued: string; words: number }> = new Map([
  ...['nohup', 'setsid', 'command', 'builtin', '!', 'then', 'do', 'done', 'if', 'fi', 'else', 'elif', 'while', 'until'].map((n) =>
    runner(n),
  ),
  runner('exec', 'a'),
  runner('sudo', 'ugpCrtTUDRh'),
  runner('doas', 'uC'),
  runner('env', 'uCS'),
  runner('nice', 'n'),
  runner('ionice', 'cn'),
  runner('time', 'fo'),
  runner('stdbuf', 'ioe'),
  runner('timeout', 'ks', 1),
  runner('taskset', '', 1),
  runner('chrt', '', 1),
  runner('flock', 'wE', 1),
  runner('xargs', 'IndLPEs'),
])
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'su', 'runuser'])

function closing(line: string, from: number, quote: string): number {
  for (let i = from + 1; i < line.length; i++) {
    if (line[i] === quote) return i
    if (quote === '"' && line[i] === '\\') i++
  }
  return line.length
}

const unescape = (text: string, quote: string): string => (quote === '"' ? text.replaceAll(/\\(["\\$`])/g, '$1') : text)
