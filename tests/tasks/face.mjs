// The command `deskhand` of a task: passes everything on as it is, and writes each call with its answer down in calls.jsonl. Plain JavaScript: it starts for every call.
import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [bin, dir, ...args] = process.argv.slice(2)
const env = { ...process.env, HOME: dir, DESKHAND_STATE: join(dir, 'state') }
const write = (entry) => appendFileSync(join(dir, 'calls.jsonl'), `${JSON.stringify(entry)}\n`)

if (args[0] === 'mcp') mcp()
else shell()

function shell() {
  // Only a batch without --steps reads what is sent to it.
  const input = args[0] === 'batch' && !args.some((arg) => arg.startsWith('--steps')) ? readFileSync(0, 'utf8') : undefined
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: [input === undefined ? 'inherit' : 'pipe', 'pipe', 'inherit'] })
  if (input !== undefined) child.stdin.end(input)
  let answer = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    answer += text
    process.stdout.write(text)
  })
  child.once('close', (code) => {
    const tool = args[0] === 'call' ? (args[1] ?? 'call') : (args[0] ?? 'help')
    const pictures = args[0] === 'shot' && code === 0 ? 1 : answer.split('\n').filter((line) => line.startsWith('picture: ')).length
    write({
      face: 'shell',
      tool,
      asked: [...args, ...(input === undefined ? [] : [input])].join(' '),
      answer,
      pictures,
      failed: code !== 0,
    })
    process.exitCode = code ?? 1
  })
}

function mcp() {
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const asked = new Map()
  process.stdin.pipe(child.stdin)
  eachLine(process.stdin, ({ id, method, params }) => method === 'tools/call' && asked.set(id, params))
  child.stdout.pipe(process.stdout)
  eachLine(child.stdout, ({ id, result, error }) => {
    const call = asked.get(id)
    if (call === undefined) return
    asked.delete(id)
    const content = result?.content ?? []
    const answer = content.map((part) => part.text ?? '').join('\n') || (error?.message ?? '')
    const pictures = content.filter((part) => part.type === 'image').length
    write({ face: 'mcp', tool: call.name, asked: JSON.stringify(call.arguments ?? {}), answer, pictures, failed: result?.isError ?? true })
  })
  child.once('close', (code) => process.exit(code ?? 1))
}

function eachLine(stream, take) {
  let rest = ''
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      try {
        take(JSON.parse(line))
      } catch {
        // Not a message.
      }
    }
  })
}
