import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import type { Rect } from '@deskhand/core/model'
import type { Finished, World } from './cli.ts'
import { providerDouble, type ProviderDouble } from './provider-double.ts'

export const EXAMPLES = resolve(import.meta.dirname, '../../examples')

/** Runs an example of a computer-use loop against answers that its provider gave once, and gives what it was asked. */
export async function play(world: World, example: string, answers: unknown[]): Promise<Finished & Pick<ProviderDouble, 'requests'>> {
  const { url, requests, close } = await providerDouble(answers)
  const env = {
    ...world.env,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: url,
    GEMINI_BASE_URL: url,
  }
  const child = spawn(process.execPath, [join(EXAMPLES, 'computer-use', `${example}.mjs`), 'Send the order'], { env })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (s: string) => (out += s))
  child.stderr.setEncoding('utf8').on('data', (s: string) => (err += s))
  const code = await new Promise<number | null>((done) => child.once('close', done))
  await close()
  return { code, out, err, requests }
}

/** The middle of an element, in a picture of the whole screen. */
export async function middle(world: World, selector: string): Promise<{ x: number; y: number }> {
  const { out } = await world.run(['call', 'ui.query', JSON.stringify({ selector })])
  const [{ bounds }] = (JSON.parse(out) as { data: { matches: [{ bounds: Rect }] } }).data.matches
  return { x: Math.round(bounds.x + bounds.w / 2), y: Math.round(bounds.y + bounds.h / 2) }
}

/** Turns of Claude: words, and uses of the members of its toolset. */
export const said = (text: string) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
  content: [{ type: 'text', text }],
})
export const uses = (...calls: [name: string, input: object][]) => ({
  ...said(''),
  stop_reason: 'tool_use',
  content: calls.map(([name, input], i) => ({ type: 'tool_use', id: `t${name}${i}`, name, input, toolset_name: 'computer' })),
})

/** Turns of an OpenAI model: actions of its computer, and words. */
export const computerCall = (id: string, ...actions: object[]) => ({
  id,
  output: [{ type: 'computer_call', call_id: id, pending_safety_checks: [], actions }],
})
export const answered = (text: string) => ({ id: 'last', output: [{ type: 'message', content: [{ type: 'output_text', text }] }] })

/** A turn of Gemini. */
export const turn = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts } }] })
export const functionCall = (name: string, args: object) => ({ functionCall: { name, args } })
