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
  /** What is written behind its name, as help shows it. */
  examples: readonly string[]
}

/** A word of the command line, several of them, or a flag. */
export type Given = string | string[] | boolean | undefined

export type RunVerb = (verb: Verb, tool: ListedTool, places: readonly Given[], options: Record<string, Given>) => Promise<void>

/** Further targets and values behind the first ones, by turns. */
export const MORE_FIELDS = 'fields…'

export const VERBS: readonly Verb[] = [
  { name: 'snapshot', tool: 'ui.snapshot', places: [], examples: ['--skeleton', '--root e7'] },
  { name: 'find', tool: 'ui.query', places: ['selector'], examples: [`'role=button && name="Save"'`, `'role=row && has(name="Anna")'`] },
  {
    name: 'click',
    tool: 'ui.click',
    places: ['target'],
    examples: ['e12', `'role=row && has(name="Anna") >> role=button' --verify 'role=dialog'`],
  },
  {
    name: 'type',
    tool: 'ui.type',
    places: ['target', 'text?'],
    examples: [`e12 'any text' --mode replace --submit Enter`, `'into the focus'`],
  },
  {
    name: 'set',
    tool: 'ui.set',
    places: ['target?', 'value?', MORE_FIELDS],
    examples: [`e12 'Anna Keller'`, `e12 Anna e13 true 'label="Country"' France`],
  },
  { name: 'key', tool: 'ui.key', places: ['keys…'], examples: ['ctrl+s', 'ctrl+a Delete'] },
  { name: 'menu', tool: 'ui.menu', places: ['path…'], examples: [`File 'Save As…'`, 'Rename --on e12'] },
  { name: 'scroll', tool: 'ui.scroll', places: ['target?'], examples: ['e7 --delta-y 10', `e7 --until 'name="Total"'`] },
  {
    name: 'wait',
    tool: 'ui.wait',
    places: ['until'],
    examples: ['role=dialog', `'gone role=dialog'`, `'window "Save As"'`, `'text Saved'`],
  },
  { name: 'shot', tool: 'input.capture', places: [], with: 'file', examples: ['screen.png', 'part.png --target e7'] },
  { name: 'launch', tool: 'desktop.launch', places: ['app', 'args…'], examples: ['mousepad notes.txt', 'chromium -- --incognito'] },
  { name: 'windows', tool: 'desktop.list', places: [], examples: [''] },
  { name: 'close', tool: 'desktop.close', places: ['app'], examples: ['mousepad --force'] },
  {
    name: 'batch',
    tool: 'ui.batch',
    places: [],
    with: 'stdin',
    examples: [
      `--steps '[{"tool":"menu","args":{"path":["File","Save As…"]}},{"tool":"type","args":{"text":"notes.txt","submit":"Enter"}}]'`,
    ],
  },
]

/** A property of a tool's schema, as far as a command line needs to know it. */
export interface Property {
  type?: string | string[]
  enum?: unknown[]
  description?: string
  anyOf?: Property[]
  items?: Property
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
    const command = program
      .command([verb.name, ...places].join(' '))
      .summary(firstSentence(tool.description))
      .description(`${tool.description} (${tool.name})`)
      .addHelpText('after', afterHelp(verb))
    const taken = new Set(verb.places.filter((place) => place !== MORE_FIELDS).map(placed))
    for (const [name, property] of Object.entries(propertiesOf(tool)))
      if (!taken.has(name)) command.option(optionFor(name, property), wordsFor(name, property))
    if (verb.name !== 'wait')
      command.option(
        '--wait-for <condition>',
        `a condition: ${tool.readOnly ? 'first' : 'then'} wait for it, 10 s${'timeoutMs' in propertiesOf(tool) ? ' or --timeout-ms' : ''}`,
      )
    command
      .option('--wait <seconds>', 'how long to wait for an approval before answering that it is pending')
      .option('--intent <words>', 'what it is for; recorded')
      .option('--no-changes', 'without what changed, and without waiting for it')
      .option('--json', 'the whole result as one line of JSON')
      .action(async (...given: unknown[]) => {
        const options = given.at(-2) as Record<string, Given>
        await run(verb, tool, given.slice(0, -2) as Given[], options)
      })
  }
}

/** Ends with what every command needs to know, so that no other page has to be read. */
function afterHelp({ name, examples, places }: Verb): string {
  const lines = examples.map((example) => `  deskhand ${name} ${example}`)
  if (places.some((place) => /^(?:target|selector)/.test(place)))
    lines.push(
      '',
      'A target is an id that was shown (e12) or a selector: role=button && name="Save", label="Email", role=row && has(name="Anna") >> role=cell.',
    )
  lines.push(
    '',
    `A condition is a selector, "gone <selector>", 'window "Title"', "text words", or JSON. deskhand skill prints everything about all commands.`,
  )
  return `\nExamples:\n${lines.join('\n')}`
}

function written(place: string): string {
  if (place === MORE_FIELDS) return '[more...]'
  if (place.endsWith('…')) return place.startsWith('args') ? `[${placed(place)}...]` : `<${placed(place)}...>`
  return place.endsWith('?') ? `[${placed(place)}]` : `<${place}>`
}

const optionFor = (name: string, { type }: Property): string => `--${flagOf(name)}${type === 'boolean' ? '' : ` <${name}>`}`

function wordsFor(name: string, { description, enum: choices, items }: Property): string {
  return [WORDS[name] ?? description, (choices ?? items?.enum)?.join(', ')].filter((w) => w !== undefined).join(': ')
}

/** What a schema need not say to a model, which knows it from its name or from another tool. */
const WORDS: Record<string, string> = {
  timeoutMs: 'how long to wait for it',
  verify: 'a condition: fails unless it holds afterwards',
  clickCount: '2 is a double click',
  modifiers: 'held meanwhile, with commas between',
  limit: 'how many at most, 20 else',
  target: 'an id or a selector',
  region: 'as JSON: {"x":0,"y":0,"w":400,"h":300}',
  deltaX: 'notches to the right',
  deltaY: 'notches down',
  holdMs: 'how long they are held',
  pollMs: 'how often to look',
  maxDepth: 'levels of the tree',
  includeScreenshot: 'also a picture',
  includeTextIndex: 'also every text with its place, as JSON',
  redactInLogs: 'keep the text out of the record',
  delivery: 'semantic: no pointer, no keys; the focus stays',
}

const firstSentence = (text: string): string => /^.*?(?<!e\.g)[.;:](?= |$)/s.exec(text)?.[0].slice(0, -1) ?? text
