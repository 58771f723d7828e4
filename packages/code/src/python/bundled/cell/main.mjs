import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { strikeBuiltins } from './builtins.mjs'
import { end, say } from './control.mjs'
import { disarmNode, disarmRest } from './disarm.mjs'
import { installGate } from './gate.mjs'
import { lentFolder } from './lend.mjs'
import { outputDevice } from './output.mjs'
import { limitFiles } from './scratch.mjs'
import { sealing } from './seal.mjs'

/**
 * One interpreter for one script. Loads, seals itself, sends `ready`, reads the job from stdin, runs it and exits.
 * Plain JavaScript, as it also runs from the sources, where the permission flags keep a TypeScript loader out.
 * @typedef {import('../orders.ts').Orders} Orders
 */

try {
  const orders = /** @type {Orders} */ (JSON.parse(process.argv[2] ?? ''))
  const watchdog = new Worker(new URL('./watchdog.mjs', import.meta.url), { workerData: { maxRssMb: orders.maxRssMb } })
  const runPython = await openInterpreter(orders)
  say({ say: 'ready' })

  const job = readFileSync(0, 'utf8')
  if (job === '') end({ say: 'end', exitCode: 0 })
  watchdog.postMessage('go')
  const [kind, text, ...args] = job.split('\0')
  runPython(`_finish(${JSON.stringify({ [kind ?? '']: text, args })})`)
  end({ say: 'broken', why: 'crash', what: 'it came back without an exit status' })
} catch (error) {
  const tooDeep = error instanceof RangeError && error.message.includes('call stack')
  end({ say: 'broken', why: 'crash', what: tooDeep ? 'the recursion is too deep for the stack' : String(error).slice(0, 300) })
}

/** Loads the interpreter behind the gate, cuts off everything a script must not reach, and closes the gate. @param {Orders} orders */
async function openInterpreter(orders) {
  const { loadPyodide } = await import(pathToFileURL(join(orders.pyodide, 'pyodide.mjs')).href)
  capMemory(orders.memoryMb * 2 ** 20)
  disarmNode()
  const gate = installGate()
  const python = await loadPyodide({
    indexURL: orders.pyodide,
    _sysExecutable: 'python',
    jsglobals: Object.create(null),
    _loadSnapshot: readFileSync(orders.snapshot),
    enableRunUntilComplete: false,
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
  })
  const { _module: memory } = python
  const { malloc, PyRun_SimpleString } = /** @type {Record<string, (...args: number[]) => number>} */ (gate.exports())

  furnish(python, orders)
  runPython(sealing(orders))
  strikeBuiltins(memory, gate.exports(), ['_ctypes', '_pyodide_core'])
  gate.seal()
  disarmRest()
  return runPython

  /** @param {string} source */
  function runPython(source) {
    const size = Buffer.byteLength(source) + 1
    const at = malloc?.(size) ?? 0
    memory.stringToUTF8(source, at, size)
    if (PyRun_SimpleString?.(at) !== 0) throw new Error('a part of the sandbox did not run')
  }
}

/** Devices, the lent project and the scratch folder: everything a script can open. @param {any} python @param {Orders} orders */
function furnish(python, orders) {
  const { FS, ERRNO_CODES } = python._module
  const budget = { left: orders.floodBytes }
  python.setStdin({ stdin: () => null })
  python.setStdout(outputDevice(1, orders.keepBytes.stdout, budget))
  python.setStderr(outputDevice(2, orders.keepBytes.stderr, budget))
  for (const name of FS.readdir('/dev')) if (/^(tty|capture)/.test(name)) FS.unlink(`/dev/${name}`)
  FS.mkdirTree(orders.project)
  FS.mount(lentFolder(FS, ERRNO_CODES), {}, orders.project)
  limitFiles(FS, orders.fileBytes)
}

/** @param {number} maxBytes */
function capMemory(maxBytes) {
  const grow = WebAssembly.Memory.prototype.grow
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65_536 > maxBytes) throw new RangeError('the memory limit is reached')
    return grow.call(this, pages)
  }
}
