import { readFileSync, writeFileSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { visible } from '@deskhand/core/selector/quote'
import { exitCode, refusal } from '../sdk/desk.ts'
import { conditionOf } from '../tools/condition-words.ts'
import type { ListedTool } from '../tools/listing.ts'
import { words } from '../tools/words.ts'
import { startedDesk } from './background.ts'
import { parseJson, print, seconds } from './call-io.ts'
import type { Common } from './common.ts'
import { flagOf, MORE_FIELDS, placed, propertiesOf, type Given, type Property, type Verb } from './verbs.ts'

const asText = (given: Given): string => (Array.isArray(given) ? given.join(' ') : String(given))

/** Makes the call that a short command stands for, and prints what a model reads of it. */
export async function run(
  common: Common,
  verb: Verb,
  tool: ListedTool,
  places: readonly Given[],
  options: Record<string, Given>,
): Promise<void> {
  const answer = async (result: Result, text = words(result)): Promise<void> => {
    if (options['json'] === true) print(result)
    else process.stdout.write(`${[text, ...(await pictures(result))].join('\n')}\n`)
    process.exitCode = exitCode(result)
  }
  try {
    const args = argsOf(verb, tool, places, options)
    const condition = options['waitFor'] === undefined ? undefined : conditionOf(asText(options['waitFor']))
    const waitMs = options['wait'] === undefined ? undefined : seconds(asText(options['wait']))
    const desk = await startedDesk(common)
    try {
      const call = {
        waitMs,
        ...(typeof options['intent'] === 'string' && { intent: options['intent'] }),
        ...(options['changes'] === false && { changes: false }),
      }
      const wait = () => desk.call('ui.wait', { until: condition, timeoutMs: args['timeoutMs'] }, call)
      // A look shows what was waited for; an action is waited for.
      const first = condition !== undefined && tool.readOnly ? await wait() : undefined
      if (first?.error !== undefined) return await answer(first)
      const result = await desk.call(tool.name, args, call)
      if (result.error !== undefined) return await answer(result)
      const file = verb.with === 'file' ? saved(result, places[0]) : undefined
      if (condition === undefined || first !== undefined)
        return await answer(
          file === undefined ? result : { ...result, images: undefined, data: { file } },
          file && `${file}${result.text === undefined ? '' : `\n${result.text}`}`,
        )
      const waited = await wait()
      await answer(both(result, waited), `${words(result)}\n${afterwards(waited)}`)
    } finally {
      await desk.close()
    }
  } catch (thrown) {
    if (options['json'] !== true) throw thrown
    await answer(refusal(DeskhandError.from(thrown)))
  }
}

/** What an action and the wait behind it came to: the wait sent nothing, so what was sent and whether to send it again is the action's. */
const both = (done: Result, { status, error, verification }: Result): Result => ({
  ...done,
  status,
  verification: verification ?? done.verification,
  ...(error !== undefined && { error: { ...error, retry: done.retry } }),
})

/** What came of waiting, behind the heading that the action has. */
function afterwards({ error, text, verification }: Result): string {
  if (error === undefined) return `then ${text ?? verification?.details ?? 'it came true'}`
  return [visible(`then ${error.code}: ${error.message}`), `Next: ${visible(error.next)}`, ...(text === undefined ? [] : [text])].join('\n')
}

/** Where the pictures of an answer are. */
async function pictures(result: Result): Promise<string[]> {
  return result.images === undefined ? [] : (await import('./pictures.ts')).keepPictures(result)
}

/** The arguments of the tool: those by place, then those by name. */
function argsOf(verb: Verb, tool: ListedTool, places: readonly Given[], options: Record<string, Given>): Record<string, unknown> {
  const properties = propertiesOf(tool)
  const args: Record<string, unknown> = verb.with === 'stdin' && options['steps'] === undefined ? fromStdin() : {}
  for (const [i, place] of verb.places.entries()) {
    const name = placed(place)
    const given = places[i]
    if (given === undefined || (Array.isArray(given) && given.length === 0) || place === MORE_FIELDS) continue
    args[name] = name === 'until' ? conditionOf(asText(given)) : valueOf(name, given, properties[name] ?? {})
  }
  if (verb.name === 'set' && Array.isArray(places[2]) && places[2].length > 0) return { fields: pairs(places.flat().map(asText)) }
  // With one word it is what is typed, into the focus.
  if (verb.name === 'type' && args['text'] === undefined && options['secret'] === undefined) {
    args['text'] = args['target']
    delete args['target']
  }
  for (const [name, property] of Object.entries(properties))
    if (options[name] !== undefined && args[name] === undefined)
      args[name] = name === 'verify' ? conditionOf(asText(options[name])) : valueOf(name, options[name], property)
  return args
}

/** Targets with their values, by turns. */
function pairs(given: readonly string[]): { target: string; value: string }[] {
  if (given.length % 2 > 0)
    throw new DeskhandError('BAD_ARGS', `there is no value for ${JSON.stringify(given.at(-1))}: give target and value by turns`)
  return given.flatMap((target, i) => (i % 2 > 0 ? [] : [{ target, value: given[i + 1] ?? '' }]))
}

/** A word of the command line as the schema wants it. */
function valueOf(name: string, given: Given, property: Property): unknown {
  const types = [property, ...(property.anyOf ?? [])].flatMap((p) => p.type ?? [])
  if (Array.isArray(given)) return types.includes('array') ? given : given.join(' ')
  if (typeof given !== 'string') return given
  if (types.includes('string')) return given
  if (types.includes('number') || types.includes('integer')) {
    if (given.trim() !== '' && Number.isFinite(Number(given))) return Number(given)
    throw new DeskhandError('BAD_ARGS', `--${flagOf(name)} takes a number, not ${JSON.stringify(given)}`)
  }
  if (types.includes('boolean')) return given === 'true'
  return /^[[{"]/.test(given) || types.length === 0 ? readJson(given) : types.includes('array') ? given.split(',') : parseJson(given)
}

/** What has no type may be JSON, or the text itself. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Steps from standard input: an object with all arguments, a list of steps, or a step per line, all in JSON. */
function fromStdin(): Record<string, unknown> {
  const text = readFileSync(0, 'utf8').trim()
  if (text === '')
    throw new DeskhandError('BAD_ARGS', 'nothing came on standard input', {
      next: `Give the steps by --steps or on standard input, as JSON: [{"tool":"click","args":{"target":"e3"}}, …]; or one such object per line.`,
    })
  const isLines = /^\{.*\}\s*\n\s*\{/s.test(text) && readJson(text) === text
  const read = isLines
    ? text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(parseJson)
    : parseJson(text)
  return Array.isArray(read) ? { steps: read } : (read as Record<string, unknown>)
}

/** Writes the picture to a file; answers with its name. */
function saved({ images }: Result, file: Given): string {
  const [image] = images ?? []
  if (image === undefined) throw new DeskhandError('NOT_CAPABLE', 'there is no picture in the answer')
  const name = typeof file === 'string' ? file : `shot-${Date.now()}.png`
  writeFileSync(name, image.data)
  return `${name} ${image.width}x${image.height}`
}
