import { readdirSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Env } from '../display-server.ts'

/** A program that people start from a menu. */
interface Installed {
  program: string
  /** The program with the options that its entry gives it. */
  command: string
  name: string
  /** What its entry says of it. */
  words: readonly string[]
}

type IsThere = (program: string) => boolean

const MOST = 15

/** What may be meant by the name of a program that is not there: those whose menu entries have its words, else all that have an entry. */
export function programsLike(app: string, env: Env, isThere: IsThere): string | undefined {
  const found = foldersOf(env).flatMap((folder) => entriesIn(folder, isThere))
  const there = [...new Map(found.map((one) => [one.command, one])).values()]
  const wanted = wordsOf(app).filter((word) => word.length > 2)
  const fits = ({ words }: Installed): number => wanted.filter((word) => words.some((one) => one.startsWith(word))).length
  const most = Math.max(0, ...there.map(fits))
  const told = most > 0 ? there.filter((one) => fits(one) === most) : there
  if (told.length === 0) return undefined
  const named = told.slice(0, MOST).map(({ command, name }) => (command === name.toLowerCase() ? command : `${command} (${name})`))
  const more = told.length > MOST ? ` and ${told.length - MOST} more` : ''
  return `${most > 0 ? 'Did you mean' : 'There are'}: ${named.join(', ')}${more}.`
}

const foldersOf = (env: Env): string[] =>
  [env['XDG_DATA_HOME'] ?? join(env.HOME ?? '/', '.local/share'), ...(env['XDG_DATA_DIRS'] ?? '/usr/local/share:/usr/share').split(':')]
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'applications'))

const wordsOf = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)

function entriesIn(folder: string, isThere: IsThere): Installed[] {
  return namesIn(folder).flatMap((file) => {
    const entry = mainPart(textOf(join(folder, file)))
    const field = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(entry)?.[1]?.trim() ?? ''
    const [path = '', ...args] = field('Exec')
      .replace(/^env (?:\w+=\S* )*/, '')
      .split(/[\s"]+/)
      .filter(Boolean)
    const program = isThere(basename(path)) ? basename(path) : path
    if (program === '' || !isThere(program) || field('NoDisplay') === 'true' || field('Type') !== 'Application') return []
    const command = [program, ...args.filter((arg) => arg.startsWith('--'))].join(' ')
    const words = ['Name', 'GenericName', 'Comment', 'Keywords', 'Categories'].map(field)
    return [{ program, command, name: field('Name').slice(0, 40), words: wordsOf([command, ...words].join(' ')) }]
  })
}

/** What comes behind it are further actions of the entry. */
const mainPart = (text: string): string => /^\[Desktop Entry\]$([^]*?)(?=^\[|(?![^]))/m.exec(text)?.[1] ?? ''

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.desktop'))
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
