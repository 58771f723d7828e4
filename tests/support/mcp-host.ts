import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'vite'

/** A page that shows MCP Apps, built on the extension's own package, and where it is served. */
export async function mcpHost(): Promise<{ url: string; server: Server }> {
  const root = join(import.meta.dirname, 'mcp-host')
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, modulePreload: false, target: 'es2022', minify: false },
  })
  const files = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []))
  const server = createServer((req, res) => {
    const file = files.find((one) => `/${one.fileName}` === (req.url === '/' ? '/index.html' : req.url))
    if (file === undefined) return void res.writeHead(404).end()
    res.setHeader('content-type', file.fileName.endsWith('.html') ? 'text/html' : 'text/javascript')
    res.end(file.type === 'chunk' ? file.code : file.source)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server }
}
