import crypto from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PREPARE } from './seal.mjs'

/** Starts an interpreter without a snapshot and writes its memory to a file: node freeze.mjs <pyodide folder> <file> */
const [pyodide, file] = process.argv.slice(2)
if (!pyodide || !file) throw new Error('usage: freeze.mjs <pyodide folder> <file>')
standStill()
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

/** Makes the file reproducible: fixed time and random numbers. A cell that starts from it is seeded anew. */
function standStill() {
  let state = 0x2545f491
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24
  Object.assign(crypto, { randomFillSync: (/** @type {Uint8Array} */ bytes) => bytes.map((_, i) => (bytes[i] = next())) })
  Math.random = () => next() / 256
  Date.now = () => 1_600_000_000_000
  performance.now = () => 1000
}
