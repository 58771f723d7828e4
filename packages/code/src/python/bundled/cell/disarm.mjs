import childProcess from 'node:child_process'
import cluster from 'node:cluster'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import inspector from 'node:inspector'
import module, { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import tls from 'node:tls'
import v8 from 'node:v8'
import vm from 'node:vm'
import workers from 'node:worker_threads'

const PARTS = [childProcess, cluster, dgram, dns, dns.promises, http, http2, https, inspector, net, tls, v8, vm, workers]
const CLASSES = [net.Socket, net.Server, dgram.Socket, tls.TLSSocket, http.Server, http.ClientRequest]
const WEB = ['fetch', 'WebSocket', 'EventSource', 'Request', 'Response', 'BroadcastChannel', 'MessageChannel', 'MessagePort', 'navigator']
const LOADING = ['require', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'structuredClone', 'Buffer']

/** Removes Node's abilities beyond files before the interpreter is loaded; the permission flags already close most files. */
export function disarmNode() {
  const constants = { ...fs.constants }
  Object.assign(process, {
    binding: (/** @type {string} */ name) => (name === 'constants' ? { fs: constants, os: {} } : deny(name)()),
    dlopen: deny('dlopen'),
  })
  const prototypes = CLASSES.map((each) => each.prototype)
  for (const part of [...PARTS, ...prototypes]) disarm(part)
  syncBuiltinESMExports()
  for (const name of WEB) Reflect.deleteProperty(globalThis, name)
}

/** Removes what only loading the interpreter needed, before a script runs. */
export function disarmRest() {
  disarm(module)
  syncBuiltinESMExports()
  for (const name of LOADING) Reflect.deleteProperty(globalThis, name)
  const silent = Object.freeze({ log() {}, warn() {}, error() {}, info() {}, debug() {}, trace() {} })
  const noProcess = Object.freeze({ versions: Object.freeze({ node: '0' }), argv: Object.freeze([]), env: Object.freeze({}) })
  for (const [name, value] of Object.entries({ console: silent, process: noProcess })) {
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false })
  }
}

/** @param {object} part */
function disarm(part) {
  for (const name of Object.getOwnPropertyNames(part)) {
    const { value, writable, configurable } = Object.getOwnPropertyDescriptor(part, name) ?? {}
    if (name === 'constructor' || typeof value !== 'function') continue
    if (writable || configurable) Object.defineProperty(part, name, { value: deny(name), writable: true, configurable: true })
  }
}

/** @param {string} name */
function deny(name) {
  return function denied() {
    throw new Error(`${name} is not available here`)
  }
}
