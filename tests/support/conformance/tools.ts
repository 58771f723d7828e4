import { setTimeout as sleep } from 'node:timers/promises'
import { Server, type CallToolResult } from '@modelcontextprotocol/server'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='
const text = (words: string) => ({ type: 'text' as const, text: words })
const picture = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, words: string) => ({ type: 'resource' as const, resource: { uri, mimeType, text: words } })

/** What the suite wants to be answered, by the tool's name. */
const ANSWERS: Record<string, CallToolResult> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [picture] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: { content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      picture,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { isError: true, content: [text('This tool intentionally returns an error for testing')] },
  test_tool_with_progress: { content: [text('done')] },
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
}

const RESOURCES = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
}

/** A server with the tools that the suite asks for by name, behind the same HTTP code as Deskhand's own. */
export function conformanceServer(): Server {
  const server = new Server({ name: 'conformance', version: '1' }, { capabilities: { tools: {}, resources: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.keys(ANSWERS).map((name) => ({ name, description: name, inputSchema: { type: 'object' as const } })),
      { name: 'json_schema_2020_12_tool', description: 'a schema', inputSchema: SCHEMA_2020_12 },
    ],
  }))
  server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq: { _meta, notify } }) => {
    const progressToken = _meta?.progressToken
    if (name === 'test_tool_with_progress' && progressToken !== undefined)
      for (const progress of [0, 50, 100]) {
        await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
        await sleep(50)
      }
    return ANSWERS[name] ?? { isError: true, content: [text(`there is no tool ${name}`)] }
  })
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = Object.entries(RESOURCES).find(([at]) => at === uri)
    return { contents: found === undefined ? [] : [{ uri, ...found[1] }] }
  })
  return server
}
