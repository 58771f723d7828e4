import { read } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { end } from './control.mjs'

/**
 * Runs on its own thread, so that a script in a busy loop cannot keep the process alive after its owner died,
 * nor fill the machine's memory from outside of the WebAssembly heap.
 */
const CONTROL = 3
const EVERY_MS = 50
const MB = 2 ** 20
const { maxRssMb } = workerData

// On Windows the job ends a cell with its owner, and a read that waits would keep what is said from being sent.
if (process.platform !== 'win32')
  read(CONTROL, Buffer.alloc(1), 0, 1, null, () => end({ say: 'broken', why: 'crash', what: 'the owner of the interpreter is gone' }))

parentPort?.once('message', () => {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxRssMb * MB) end({ say: 'broken', why: 'memory', what: `the process grew beyond ${maxRssMb} MB` })
  }, EVERY_MS)
})
