// What a task talks to beside its desktop, until its broker ends: a web server of the home's folder `www`, or a mail server. Both write down what they are sent.
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer as createWeb } from 'node:http'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'

const [kind, home, broker] = process.argv.slice(2)
const folder = join(home, 'server')
const server = kind === 'web' ? web() : smtp()
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  const address = kind === 'web' ? `http://127.0.0.1:${port}` : `127.0.0.1:${port}`
  if (kind === 'smtp') settle(String(port))
  process.stdout.write(`${JSON.stringify({ address })}\n`)
})
setInterval(() => {
  try {
    process.kill(Number(broker), 0)
  } catch {
    process.exit(0)
  }
}, 2_000)

/** GET gives a page of `www`; POST is written down as `path body` and answered with `www/done.html` or a word. */
function web() {
  return createWeb((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    let body = ''
    request.setEncoding('utf8').on('data', (text) => (body += text))
    request.on('end', () => {
      const path = new URL(request.url, 'http://x').pathname
      if (request.method === 'POST') {
        appendFileSync(join(folder, 'posts.log'), `${path} ${body}\n`)
        return response.end('<!doctype html><title>Saved</title><h1>Saved</h1>')
      }
      const file = join(home, 'www', basename(path) || 'index.html')
      if (existsSync(file)) return response.end(readFileSync(file))
      response.statusCode = 404
      response.end('<!doctype html><title>Not found</title>')
    })
  })
}

/** Takes every message and keeps it as a file. */
function smtp() {
  return createServer((socket) => {
    let envelope = []
    let message
    let rest = ''
    socket.setEncoding('utf8').on('error', () => {})
    socket.write('220 post ready\r\n')
    socket.on('data', (text) => {
      const lines = (rest + text).split('\r\n')
      rest = lines.pop()
      for (const line of lines) {
        if (message !== undefined) {
          if (line !== '.') message.push(line.replace(/^\.\./, '.'))
          else {
            writeFileSync(join(folder, `${readdirSync(folder).length + 1}.eml`), [...envelope, '', ...message].join('\n'))
            message = undefined
            envelope = []
            socket.write('250 kept\r\n')
          }
        } else if (/^DATA/i.test(line)) {
          message = []
          socket.write('354 go on\r\n')
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else {
          if (/^(MAIL|RCPT)/i.test(line)) envelope.push(line)
          socket.write(/^EHLO/i.test(line) ? '250 post\r\n' : '250 ok\r\n')
        }
      }
    })
  })
}

/** Configuration files that name the port get it. */
function settle(port) {
  for (const file of ['.claws-mail/accountrc']) {
    const path = join(home, file)
    if (existsSync(path)) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{port}', port))
  }
}
