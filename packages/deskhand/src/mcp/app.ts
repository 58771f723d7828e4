import { readFileSync } from 'node:fs'
import type { CallToolResult, ClientCapabilities, Tool } from '@modelcontextprotocol/server'
import type { Result } from '@deskhand/core/model'
import type { Desk } from '../sdk/desk.ts'

/** The extension of MCP by which a server brings pages that clients show to people. */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
const MIME_TYPE = 'text/html;profile=mcp-app'
const URI = 'ui://deskhand/desktop.html'

/** What a client declares that shows pages. */
export const SHOWING: ClientCapabilities = { extensions: { [APPS_EXTENSION]: { mimeTypes: [MIME_TYPE] } } }

/** Whether a client said that it shows pages. */
export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[APPS_EXTENSION] ?? {}) as { mimeTypes?: unknown }
  return Array.isArray(mimeTypes) && mimeTypes.includes(MIME_TYPE)
}

/** A picture that takes longer is not shown. */
const SHOT_MS = 5_000
const READ_ONLY = { readOnlyHint: true }

/** `desktop.show` is for the model and brings the page; `desktop.view` is for the page, and models are not told of it. */
export const APP_TOOLS: readonly Tool[] = [
  {
    name: 'desktop.show',
    description: 'Show the person the live desktop and what waits for their answer.',
    inputSchema: { type: 'object' },
    annotations: READ_ONLY,
    _meta: { ui: { resourceUri: URI } },
  },
  {
    name: 'desktop.view',
    description: 'The picture of the desktop and the questions of this client that wait.',
    inputSchema: { type: 'object', properties: { picture: { type: 'boolean' } } },
    annotations: READ_ONLY,
    _meta: { ui: { resourceUri: URI, visibility: ['app'] } },
  },
]

/** The page asks for nothing from anywhere: it speaks through its host, and pictures are in it. */
const META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } }

export const appResource = { uri: URI, name: 'desktop.html', title: 'The live desktop', mimeType: MIME_TYPE, _meta: META }

let page: string | undefined

/** The page at this address; nothing where there is none. */
export function appContent(uri: string): { uri: string; mimeType: string; text: string; _meta: object } | undefined {
  if (uri !== URI) return undefined
  page ??= readFileSync(new URL('../../page/app.html', import.meta.url), 'utf8')
  return { uri, mimeType: MIME_TYPE, text: page, _meta: META }
}

/** Answers a tool of the page's, as the client's own principal: what agents may not see, it does not show. */
export async function callApp(desk: Desk, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
  const questions = await desk.call('input.questions', {}, { signal })
  const seen = (questions.data ?? { questions: [] }) as { questions: unknown[] }
  if (name === 'desktop.show')
    return {
      content: [{ type: 'text', text: `The person sees the desktop; ${seen.questions.length} questions wait.` }],
      structuredContent: seen,
    }
  if (args['picture'] === false) return { content: [], structuredContent: seen }
  const shot = await desk.call('input.capture', { format: 'png' }, { signal, waitMs: SHOT_MS, intent: 'the page of an MCP client' })
  // A picture that a person would have to allow each time is none: no person is asked for it.
  if (shot.error?.code === 'APPROVAL_PENDING') await desk.call('op.cancel', { op: shot.op })
  const content = (shot.images ?? []).map(({ data, mimeType }) => ({
    type: 'image' as const,
    data: Buffer.from(data).toString('base64'),
    mimeType,
  }))
  return { content, structuredContent: { ...seen, refused: refusalOf(shot) } }
}

const refusalOf = ({ error }: Result): string | undefined => (error === undefined || error.code === 'RUNNING' ? undefined : error.message)
