import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ServerContext } from '@modelcontextprotocol/server'

/** What the client declared with this request; one of the 2025 revision declares nothing there, but once at its start. */
export function declaredIn({ mcpReq: { envelope } }: ServerContext): ClientCapabilities | undefined {
  return (envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
}
