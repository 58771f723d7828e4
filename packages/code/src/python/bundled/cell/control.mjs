import { writeSync } from 'node:fs'

const CONTROL = 3
const { pid } = process
const kill = process.kill.bind(process)
const { stringify } = JSON

/**
 * What the cell tells its owner, one line each. `end` is the last one.
 * @typedef {{ say: 'ready' } | { say: 'end', exitCode: number } | { say: 'broken', why: 'memory' | 'output' | 'crash' | 'gate', what: string }} Word
 */

/** @param {Word} word */
export function say(word) {
  writeSync(CONTROL, `${stringify(word)}\n`)
}

/** Says the last word and dies at once, without running anything of the interpreter's or of Node's on the way out.
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
