import { writeSync } from 'node:fs'

const CONTROL = 3
const { pid } = process
const kill = process.kill.bind(process)
const { stringify } = JSON

/**
 * The cell's messages to its owner, one line each. `end` is the last one.
 * @typedef {{ say: 'ready' } | { say: 'end', exitCode: number } | { say: 'broken', why: 'memory' | 'output' | 'crash' | 'gate', what: string }} Word
 */

/** @param {Word} word */
export function say(word) {
  writeSync(CONTROL, `${stringify(word)}\n`)
}

/** Sends the last message and kills the process at once, so that no exit handler of the interpreter or of Node runs.
 * @param {Word} word
 * @returns {never} */
export function end(word) {
  try {
    say(word)
  } finally {
    kill(pid, 'SIGKILL')
  }
  throw new Error('unreachable')
}
