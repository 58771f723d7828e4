import type { AppIdentity, DesktopKind } from '../model/index.ts'
import { appNames, program } from './identity.ts'
import { APP_CLASSES, CLASSES, type AppClass } from './risk-table.ts'
import type { AddedTerms } from './rule.ts'
import { findWords, WORD_KINDS, WordFinder, type WordHits } from './word-match.ts'

/** What names and programs mean for the risk of a call: Deskhand's own lists, and what policy files add to them. Nothing is ever taken away. */
export interface Lexicon {
  words(text: string): WordHits
  classes(app: AppIdentity | undefined, desktop: DesktopKind): readonly AppClass[]
  /** The same for a program that is yet to be started. */
  classesOf(executable: string): readonly AppClass[]
}

export function lexiconOf(added: readonly AddedTerms[]): Lexicon {
  if (added.length === 0)
    return {
      words: findWords,
      classes: (app, desktop) => own(appNames(app, desktop).program),
      classesOf: (executable) => own(program(executable)),
    }
  const finder = new WordFinder(() =>
    added.map(({ words = {} }) => ({
      ...(Object.fromEntries(WORD_KINDS.map((kind) => [kind, words[kind] ?? []])) as Record<(typeof WORD_KINDS)[number], string[]>),
      harmless: [],
    })),
  )
  const isNamed = (names: readonly string[], name: AppClass): boolean =>
    added.some(({ classes }) => classes?.[name]?.some((listed) => names.includes(listed.toLowerCase())))
  const withAdded = (listed: string | undefined, names: readonly string[]): AppClass[] => [
    ...new Set([...own(listed), ...CLASSES.filter((name) => isNamed(names, name))]),
  ]
  return {
    words: (text) => new Map([...finder.find(text), ...findWords(text)]),
    // What an application says of itself can raise the risk.
    classes: (app, desktop) => withAdded(appNames(app, desktop).program, appNames(app, desktop).claimed),
    classesOf: (executable) => withAdded(program(executable), [program(executable)]),
  }
}

const OWN_CLASS: ReadonlyMap<string, readonly AppClass[]> = new Map(
  CLASSES.flatMap((name) => APP_CLASSES[name].map((p): [string, readonly AppClass[]] => [p, [name]])),
)
const NO_CLASS: readonly AppClass[] = []
const own = (listed: string | undefined): readonly AppClass[] => (listed === undefined ? NO_CLASS : (OWN_CLASS.get(listed) ?? NO_CLASS))
