// The tools of @trycua/cua-driver, in a process on the desktop: one JSON call per line, one JSON answer with its own time per line.
import { createInterface } from 'node:readline'

const { CuaDriver } = await import(process.argv[2])
const driver = CuaDriver.create(undefined)
for await (const line of createInterface({ input: process.stdin })) {
  const { name, args } = JSON.parse(line)
  try {
    const started = performance.now()
    const answer = name === 'tools/list' ? await driver.listToolsJson() : await driver.callTool(name, JSON.stringify(args))
    const ms = performance.now() - started
    const ok =
      typeof answer === 'string'
        ? { ms, text: answer, data: null }
        : { ms, text: answer.text, data: JSON.parse(answer.structuredJson ?? 'null'), isError: answer.isError }
    process.stdout.write(`${JSON.stringify({ ok })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`)
  }
}
process.exit(0)
