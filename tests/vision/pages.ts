import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Rect } from '@deskhand/core/model'
import { decodePng, type Picture } from '@deskhand/vision'

/** A word, and where the browser says that it drew it. */
export interface Truth {
  text: string
  rect: Rect
  isButton: boolean
}

export interface Page {
  lines: readonly string[]
  buttons: readonly string[]
  font: string
  size: number
  dark: boolean
}

/** Fonts of other scripts, out of packages of the tests. */
const FONTS: Readonly<Record<string, string>> = { sc: '@fontsource-variable/noto-sans-sc', kr: '@fontsource-variable/noto-sans-kr' }
const require = createRequire(import.meta.url)

/** Draws a page with a real browser; the page itself tells where each of its words stands. */
export async function drawn(page: Page): Promise<{ picture: Picture; truth: Truth[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'dh-page-'))
  let truth: Truth[] = []
  const server = createServer((request, response) => serve(page, request, response, (words) => (truth = words)))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  try {
    const file = join(dir, 'page.png')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    // prettier-ignore
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--window-size=1000,760', `--user-data-dir=${dir}/c`, '--virtual-time-budget=4000', `--screenshot=${file}`, url]
    const browser = spawn('chromium', flags, { stdio: 'ignore' })
    await new Promise((ended) => browser.once('exit', ended))
    return { picture: decodePng(readFileSync(file)), truth }
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function serve(page: Page, request: IncomingMessage, response: ServerResponse, told: (words: Truth[]) => void): void {
  const [, first = '', ...path] = decodeURIComponent(request.url ?? '/').split('/')
  const font = FONTS[first]
  if (first === 'words') {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      told(JSON.parse(text) as Truth[])
      response.end()
    })
  } else if (font !== undefined) {
    const file = join(dirname(require.resolve(`${font}/package.json`)), ...path)
    response.setHeader('content-type', file.endsWith('css') ? 'text/css' : 'font/woff2').end(readFileSync(file))
  } else if (first === '') response.setHeader('content-type', 'text/html; charset=utf-8').end(html(page))
  else response.writeHead(404).end()
}

function html({ lines, buttons, font, size, dark }: Page): string {
  const [ink, paper] = dark ? ['#ddd', '#222'] : ['#222', '#fff']
  return `<!doctype html><meta charset=utf-8>${Object.keys(FONTS)
    .map((f) => `<link rel=stylesheet href="/${f}/index.css">`)
    .join('')}
<style>body{font:${size}px '${font}','Noto Sans SC Variable','Noto Sans KR Variable';color:${ink};background:${paper};margin:16px}button{font:inherit;padding:6px 14px;margin:4px}</style>
${lines.map((l) => `<p>${l}</p>`).join('')}${buttons.map((b) => `<button>${b}</button>`).join('')}
<script>addEventListener('load', () => document.fonts.ready.then(() => {
  const words = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    if (n.parentElement.tagName === 'SCRIPT') continue
    for (const m of n.data.matchAll(/\\S+/g)) {
      const range = document.createRange()
      range.setStart(n, m.index)
      range.setEnd(n, m.index + m[0].length)
      const { x, y, width: w, height: h } = range.getBoundingClientRect()
      words.push({ text: m[0], isButton: n.parentElement.tagName === 'BUTTON', rect: { x, y, w, h } })
    }
  }
  return fetch('/words', { method: 'POST', body: JSON.stringify(words) })
}))</script>`
}

export interface Score {
  words: number
  right: number
  buttons: number
  rightButtons: number
  /** How far the middle of each right word is off, in pixels, the nearest first. */
  off: number[]
  wrong: string[]
}

/** A word is right when it was read exactly, at its place. */
export function score(truth: readonly Truth[], read: readonly { text: string; rect: Rect }[]): Score {
  const result: Score = { words: 0, right: 0, buttons: 0, rightButtons: 0, off: [], wrong: [] }
  for (const { text, rect, isButton } of truth) {
    result.words++
    if (isButton) result.buttons++
    const [x, y] = [rect.x + rect.w / 2, rect.y + rect.h / 2]
    const near = read.filter(({ rect: r }) => Math.abs(r.y + r.h / 2 - y) < rect.h / 2 && r.x < rect.x + rect.w && r.x + r.w > rect.x)
    const hit = near.find((w) => w.text === text)
    if (hit === undefined) {
      result.wrong.push(`${text} as ${near.map((w) => w.text).join(' ')}`)
      continue
    }
    result.right++
    if (isButton) result.rightButtons++
    result.off.push(Math.hypot(hit.rect.x + hit.rect.w / 2 - x, hit.rect.y + hit.rect.h / 2 - y))
  }
  result.off.sort((a, b) => a - b)
  return result
}
