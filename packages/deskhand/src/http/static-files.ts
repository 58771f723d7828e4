import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whenOver } from './leaving.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}

/** The folders that pages are served from, the first that has the file: the console where it is built, and the plain page. */
export const PAGES: readonly string[] = ['../../../console/dist/', '../../console/', '../../page/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** Serves files of these folders and nothing else; a name without a file is the page of the console, which has its own addresses. */
export function serveFile(req: IncomingMessage, res: ServerResponse, path: string, folders = PAGES): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false
  const file = fileFor(path, folders) ?? (extname(path) === '' ? fileFor('/index.html', folders) : undefined)
  if (file === undefined) return false
  const { size } = statSync(file)
  const hashed = /[-.][\w-]{8,}\.\w+$/.test(file)
  res.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-length': size,
    'cache-control': hashed && !file.endsWith('.html') ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  if (req.method === 'HEAD') res.end()
  else {
    const bytes = createReadStream(file)
    whenOver(res, () => bytes.destroy())
    pipeline(bytes, res, () => {})
  }
  return true
}

/** Only plain names below the folder, and only what really lies there: neither `..` nor a link leads out. */
function fileFor(path: string, folders: readonly string[]): string | undefined {
  const names = path.split('/').filter((name) => name !== '')
  if (!names.every((name) => /^[\w@-][\w.@-]*$/.test(name))) return undefined
  for (const folder of folders) {
    const file = join(folder, ...(names.length === 0 ? ['index.html'] : names))
    if (!existsSync(file)) continue
    const real = realpathSync(file)
    if (real.startsWith(realpathSync(folder) + sep) && statSync(real).isFile()) return real
  }
  return undefined
}
