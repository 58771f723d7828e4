import { spawnSync } from 'node:child_process'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { flagOf, VERBS } from '../../packages/deskhand/src/cli/verbs.ts'
import type { TaskDesk } from './desk.ts'
import type { Step } from './task.ts'

/** What an agent reaches the desktop through. */
export type Face = 'mcp' | 'shell'

/** Sends the scripted solution of a task, as an agent with this face would; answers with all that was said. */
export async function solve(desk: TaskDesk, face: Face): Promise<string> {
  if (face === 'shell') return byEach(desk, ([tool, args]) => Promise.resolve(inShell(desk, tool, args)))
  const client = new Client({ name: 'solution', version: '1' })
  await client.connect(new StdioClientTransport({ command: desk.command, args: ['mcp'] }))
  try {
    return await byEach(desk, async ([name, args]) => {
      const { content } = await client.callTool({ name, arguments: args }, { timeout: 120_000 })
      return content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
    })
  } finally {
    await client.close()
  }
}

async function byEach(desk: TaskDesk, send: (step: Step) => Promise<string>): Promise<string> {
  let said = ''
  for (const [tool, args] of desk.task.solution)
    said += `${tool}\n${await send([tool, filled(args, desk.home.dir, said) as Record<string, unknown>])}\n`
  return said
}

/** A short command as the skill teaches it. */
function inShell(desk: TaskDesk, tool: string, args: Record<string, unknown>): string {
  const verb = VERBS.find((v) => v.tool === tool)
  if (verb === undefined) throw new Error(`no command for ${tool}`)
  const input = verb.name === 'batch' ? JSON.stringify(args['steps']) : undefined
  const words = input === undefined ? wordsOf(verb.places, args) : []
  const { stdout, stderr } = spawnSync(desk.command, [verb.name, ...words], { encoding: 'utf8', input })
  return `${stdout}${stderr}`
}

/** Arguments that have a place stand there, the others are options; several fields are targets and values by turns. */
function wordsOf(places: readonly string[], { fields, ...args }: Record<string, unknown>): string[] {
  if (Array.isArray(fields)) return (fields as { target: string; value: unknown }[]).flatMap((f) => [f.target, String(f.value)])
  const names = places.map((place) => place.replace(/[?…]$/, ''))
  const placed = names.flatMap((name) => (args[name] === undefined ? [] : [args[name]].flat().map(String)))
  const options = Object.entries(args)
    .filter(([name]) => !names.includes(name))
    .flatMap(([name, value]) => (value === true ? [`--${flagOf(name)}`] : [`--${flagOf(name)}`, worded(value)]))
  return [...options, '--', ...placed]
}

const worded = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Texts as the home and the answers so far make them. */
function filled(value: unknown, home: string, said: string): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, home, said))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, home, said)]))
  if (typeof value !== 'string') return value
  if (!value.startsWith('@')) return value.replace(/^~\//, `${home}/`)
  return [...said.matchAll(new RegExp(value.slice(1), 'g'))].at(-1)?.[1] ?? value
}
