import { readSync, writeSync } from 'node:fs'
import { Buffer } from 'node:buffer'

/** Reads the lent folder by asking the owner of the cell and waiting for the answer. */
const HATCH = 4
const FAILED = 0
const JSON_TEXT = 1
const { parse, stringify } = JSON

/** @param {unknown[]} question @returns {any} */
export function ask(...question) {
  writeSync(HATCH, `${stringify(question)}\n`)
  const head = take(5)
  const body = take(head.readUInt32LE(0))
  const tag = head[4]
  if (tag === FAILED) throw Object.assign(new Error('refused'), { code: body.toString() })
  return tag === JSON_TEXT ? parse(body.toString()) : body
}

/** @param {number} length */
function take(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const got = readSync(HATCH, bytes, at, length - at, null)
    if (got === 0) throw new Error('the owner of the interpreter is gone')
    at += got
  }
  return bytes
}
