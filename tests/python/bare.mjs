import { readFileSync } from 'node:fs'
import { loadPyodide } from 'pyodide'

/** The same interpreter with nothing around it: what the attempts reach without the locks. Reads Python from stdin. */
const python = await loadPyodide({
  stdout: (line) => process.stdout.write(`${line}\n`),
  stderr: (line) => process.stdout.write(`${line}\n`),
})
try {
  python.runPython(readFileSync(0, 'utf8'))
} catch (error) {
  process.stdout.write(String(error).slice(0, 1000))
}
process.exit(0)
