import { Client, type Transport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'

const REVISION = '2026-07-28'
const CLIENT = { name: 'test', version: '1' }

type TaskSession = ReturnType<typeof createTaskSessionFromClient>
type RawDispatch = NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>

interface Request {
  method: string
  params: Record<string, unknown>
}

/** Sends a request as it is; what came back, also where it is an error. */
type Raw = (request: Request) => Promise<{ result?: Record<string, unknown>; error?: { code: number } }>

/** A client that knows tasks: the SDK's own for everything else, the extension's for calls, which go over a transport of their own. */
export async function taskSession(open: () => Transport): Promise<{ session: TaskSession; raw: Raw; close(): Promise<void> }> {
  const client = new Client(CLIENT, { versionNegotiation: { mode: 'auto' } })
  await client.connect(open())
  const { raw, close } = await dispatcher(open())
  const rawDispatch = raw as unknown as RawDispatch
  const v2RequestFraming = { protocolVersion: REVISION, clientInfo: CLIENT, clientCapabilities: {} }
  const session = createTaskSessionFromClient(client, { endpointId: 'test', rawDispatch, v2RequestFraming })
  return {
    session,
    raw,
    close: async () => {
      await session.close()
      await close()
      await client.close()
    },
  }
}

/** A request as it is, with what a client of the 2026 revision says of itself. */
export const framed = (method: string, params: Record<string, unknown>, extensions: Record<string, object>): Request => ({
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    },
  },
})

async function dispatcher(transport: Transport): Promise<{ raw: Raw; close(): Promise<void> }> {
  const waiting = new Map<string, (answer: Awaited<ReturnType<Raw>>) => void>()
  let count = 0
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) waiting.get(String(message.id))?.(message)
  }
  await transport.start()
  transport.setProtocolVersion?.(REVISION)
  const raw: Raw = async (request) => {
    const id = `raw-${++count}`
    const answer = new Promise<Awaited<ReturnType<Raw>>>((done) => waiting.set(id, done))
    await transport.send({ jsonrpc: '2.0', id, ...request })
    return answer
  }
  return { raw, close: () => transport.close() }
}
