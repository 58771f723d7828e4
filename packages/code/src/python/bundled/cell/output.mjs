import { writeSync } from 'node:fs'
import { end } from './control.mjs'

/** A device for the script's output: passes on the first `keep` bytes, drops the rest, and ends a script that floods.
 * @param {number} fd @param {number} keep @param {{ left: number }} budget shared by both streams */
export function outputDevice(fd, keep, budget) {
  let room = keep
  return {
    isatty: false,
    /** @param {Uint8Array} bytes */
    write(bytes) {
      budget.left -= bytes.length
      if (budget.left < 0) end({ say: 'broken', why: 'output', what: 'the script wrote too much output' })
      for (let at = 0; at < bytes.length && room > 0;) {
        const sent = writeSync(fd, bytes, at, Math.min(bytes.length - at, room))
        at += sent
        room -= sent
      }
      return bytes.length
    },
  }
}
