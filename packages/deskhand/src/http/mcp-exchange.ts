import type { IncomingMessage } from 'node:http'
import {
  classifyInboundRequest,
  isJsonContentType,
  isJSONRPCResultResponse,
  PerRequestHTTPServerTransport,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import { MODERN } from '../mcp/server.ts'

type Classified = Extract<ReturnType<typeof classifyInboundRequest>, { kind: 'modern'; messageKind: 'request' }>

/**
 * A call of a tool in the 2026 revision whose headers say what its body says, which is nearly every request. Undefined for all others: the
 * SDK's own handler answers them, and finds out what is wrong with them.
 */
export function plainCall({ method, headers }: IncomingMessage, body: unknown): Classified | undefined {
  const called = headers['mcp-method'] === 'tools/call' && isJsonContentType(headers['content-type'])
  const [version, name] = [headers['mcp-protocol-version'], headers['mcp-name']]
  if (!called || version !== MODERN || typeof name !== 'string') return undefined
  const httpMethod = method ?? ''
  const route = classifyInboundRequest({
    httpMethod,
    protocolVersionHeader: version,
    mcpMethodHeader: 'tools/call',
    mcpNameHeader: name,
    body,
  })
  if (route.kind !== 'modern' || route.messageKind !== 'request') return undefined
  const { message, classification } = route
  return classification.revision === MODERN && message.method === 'tools/call' && message.params?.['name'] === name ? route : undefined
}

/** One such call. Its result is handed on as a value: the objects of `fetch` around it cost more than the call. */
export class McpExchange extends PerRequestHTTPServerTransport {
  /** When the result was handed on; nothing is left to be closed then. */
  readonly answered: Promise<undefined>
  readonly #answer: (message: JSONRPCMessage) => void
  #isStream = false

  constructor({ classification }: Classified, answer: (message: JSONRPCMessage) => void) {
    super({ classification })
    let done = (): void => {}
    this.answered = new Promise((resolve) => (done = () => resolve(undefined)))
    this.#answer = (message) => {
      answer(message)
      done()
    }
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    // Progress before the result makes a stream of it, and an error has a status of its own.
    this.#isStream ||= !isJSONRPCResultResponse(message)
    if (this.#isStream) return super.send(message, options)
    this.#answer(message)
  }
}
