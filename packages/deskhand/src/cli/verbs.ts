import type { Command } from 'commander'
import { listedTools, type ListedTool } from '../tools/listing.ts'

/** A short command: a tool call whose first arguments need no names. Everything else comes from the tool's own schema. */
export interface Verb {
  name: string
  tool: string
  /** Arguments by place: `x` must be there, `x?` need not, `x…` takes all that are left. */
  places: readonly string[]
  /** Where it ends in a file, or begins with standard input. */
  with?: 'file' | 'stdin'
}

/** A word of the command line, several of them, or a flag. */
export type Given = string | string[] | boolean | undefined

export type RunVerb = (verb: Verb, tool: ListedTool, places: readonly Given[], options: Record<string, Given>) => Promise<void>

export const VERBS: readonly Verb[] = [
  { name: 'snapshot', tool: 'ui.snapshot', places: [] },
  { name: 'find', tool: 'ui.query', places: ['selector'] },
  { name: 'click', tool: 'ui.click', places: ['target'] },
  { name: 'type', tool: 'ui.type', places: ['target', 'text?'] },
  { name: 'set', tool: 'ui.set', places: ['target', 'value'] },
  { name: 'key', tool: 'ui.key', places: ['keys…'] },
  { name: 'menu', tool: 'ui.menu', places: ['path…'] },
  { name: 'scroll', tool: 'ui.scroll', places: ['target?'] },
  { name: 'wait', tool: 'ui.wait', places: ['until'] },
  { name: 'shot', tool: 'input.capture', places: [], with: 'file' },
  { name: 'launch', tool: 'desktop.launch', places: ['app', 'args…'] },
  { name: 'windows', tool: 'desktop.list', places: [] },
  { name: 'close', tool: 'desktop.close', places: ['app'] },
  { name: 'batch', tool: 'ui.batch', places: [], with: 'stdin' },
]

/** A property of a tool's schema, as far as a command line needs to know it. */
export interface Property {
  type?: string | string[]
  enum?: unknown[]
  description?: string
  anyOf?: Property[]
  default?: unknown
}

export const propertiesOf = (tool: ListedTool): Record<string, Property> =>
  (tool.inputSchema['properties'] ?? {}) as Record<string, Property>

/** What a place is called in the schema. */
export const placed = (place: string): string => place.replace(/[?…]$/, '')

export const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

/** Adds a command for every verb whose tool there is. */
export function addVerbs(program: Command, run: RunVerb): void {
  const tools = new Map(listedTools().map((tool) => [tool.name, tool]))
  for (const verb of VERBS) {
    const tool = tools.get(verb.tool)
    if (tool === undefined) continue
    const places = [...verb.places.map(written), ...(verb.with === 'file' ? ['[file]'] : [])]
    const command = program.command([verb.name, ...places].join(' ')).description(`${firstSentence(tool.description)} (${tool.name})`)
    const taken = new Set(verb.places.map(placed))
    for (const [name, property] of Object.entries(propertiesOf(tool)))
      if (!taken.has(name)) command.option(optionFor(name, property), wordsFor(property))
    command
      .option('--wait-for <condition>', 'then wait: a selector, "gone <selector>", "window <title>", "text <words>", or JSON')
      .option('--wait <seconds>', 'how long to wait for an approval before answering that it is pending')
      .option('--intent <words>', 'what it is for; recorded')
      .option('--json', 'the whole result as one line of JSON')
      .action(async (...given: unknown[]) => {
        const options = given.at(-2) as Record<string, Given>
        await run(verb, tool, given.slice(0, -2) as Given[], options)
      })
  }
}

function written(place: string): string {
  if (place.endsWith('…')) return place.startsWith('args') ? `[${placed(place)}...]` : `<${placed(place)}...>`
  return place.endsWith('?') ? `[${placed(place)}]` : `<${place}>`
}

const optionFor = (name: string, { type }: Property): string => `--${flagOf(name)}${type === 'boolean' ? '' : ` <${name}>`}`

function wordsFor({ description, enum: choices }: Property): string {
  return [description, choices?.join(', ')].filter((w) => w !== undefined).join(': ')
}

const firstSentence = (text: string): string => /^.*?[.:](?= [A-Z]|$)/s.exec(text)?.[0].replace(/[.:]$/, '') ?? text
