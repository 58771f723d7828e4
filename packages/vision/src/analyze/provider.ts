import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'

/** A model that looks at pictures, as the operator configured it. */
export interface ModelOptions {
  provider: 'openai' | 'anthropic'
  model: string
  baseUrl?: string
  /** The variable of the environment that holds the key. */
  keyEnv?: string
  timeoutSeconds: number
}

const BASE = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' }
const KEY = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' }
const TRIES = 3
const REST_MS = 500
const MOST_TOKENS = 1_000
const MOST_PICTURE = 5 << 20
const MOST_ANSWER = 1 << 20
const MOST_PROMPT = 8_000

/** Has a model answer a question about a picture that was masked before. */
export async function askModel(
  options: ModelOptions,
  prompt: string,
  png: Uint8Array,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { provider, timeoutSeconds } = options
  if (png.length > MOST_PICTURE)
    throw new DeskhandError('BAD_ARGS', 'the picture has more than 5 MB', { next: 'Ask about a smaller part of the screen.' })
  const variable = options.keyEnv ?? KEY[provider]
  const key = env[variable]
  if (!key) throw new DeskhandError('NOT_CAPABLE', `the key of the vision model is missing: ${variable} is not set`)
  const { url, headers, body } = REQUESTS[provider](options, key, prompt.slice(0, MOST_PROMPT), Buffer.from(png).toString('base64'))
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
  for (let left = TRIES; ; left--) {
    const outcome = await once(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal,
    })
    if ('text' in outcome) return outcome.text
    if (!outcome.again || left <= 1 || signal.aborted)
      throw new DeskhandError('NOT_CAPABLE', `the vision model did not answer: ${outcome.why}`, {
        next: 'Try again later, or read the tree with ui.snapshot.',
      })
    await sleep(REST_MS * (TRIES - left + 1), undefined, { signal }).catch(() => {})
  }
}

interface Request {
  url: string
  headers: Record<string, string>
  body: unknown
}

const REQUESTS: Record<ModelOptions['provider'], (options: ModelOptions, key: string, prompt: string, picture: string) => Request> = {
  openai: ({ baseUrl = BASE.openai, model }, key, prompt, picture) => ({
    url: `${baseUrl.replace(/\/$/, '')}/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: {
      model,
      max_tokens: MOST_TOKENS,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: prompt },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
      ],
    },
  }),
  anthropic: ({ baseUrl = BASE.anthropic, model }, key, prompt, picture) => ({
    url: `${baseUrl.replace(/\/$/, '')}/v1/messages`,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: {
      model,
      max_tokens: MOST_TOKENS,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
            { type: 'text', text: prompt },
          ],
        },
      ],
    },
  }),
}

type Outcome = { text: string } | { why: string; again: boolean }

async function once(url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await fetch(url, init)
    const body = await limited(response)
    if (!response.ok) return { why: `HTTP ${response.status}`, again: response.status === 429 || response.status >= 500 }
    const text = textIn(JSON.parse(body))
    return text === undefined ? { why: 'its answer holds no text', again: false } : { text }
  } catch (thrown) {
    // Never the request: its headers hold the key.
    const timedOut = thrown instanceof Error && thrown.name === 'TimeoutError'
    return { why: timedOut ? 'the time is over' : 'it cannot be reached or answers in another form', again: !timedOut }
  }
}

async function limited(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MOST_ANSWER) throw new Error('the answer is too long')
  }
  return text
}

/** The text of an answer of either provider. */
function textIn(answer: unknown): string | undefined {
  const at = (value: unknown, key: string | number): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  const chat = at(at(at(at(answer, 'choices'), 0), 'message'), 'content')
  if (typeof chat === 'string') return chat
  const blocks = at(answer, 'content')
  const texts = Array.isArray(blocks) ? blocks.map((block: unknown) => at(block, 'text')).filter((t) => typeof t === 'string') : []
  return texts.length > 0 ? texts.join('\n') : undefined
}
