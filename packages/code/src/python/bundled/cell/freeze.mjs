import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PREPARE } from './seal.mjs'

/** Starts an interpreter the slow way, once, and writes its memory to a file: node freeze.mjs <pyodide folder> <file> */
const [pyodide, file] = process.argv.slice(2)
if (!pyodide || !file) throw new Error('usage: freeze.mjs <pyodide folder> <file>')
const { loadPyodide } = await import(pathToFileURL(join(pyodide, 'pyodide.mjs')).href)
const python = await loadPyodide({
  indexURL: pyodide,
  _sysExecutable: 'python',
  _makeSnapshot: true,
  jsglobals: {},
  env: { HOME: '/tmp' },
})
python.runPython(PREPARE)
writeFileSync(file, python.makeMemorySnapshot())
