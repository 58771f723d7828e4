// What a tree of a thousand elements costs through UI Automation: by the driver, and with a call for each property. Runs on node for Windows.
// Words: the file for the figures.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect, trips } from './remote-client.mjs'
import { call, clear, createObject, objectFrom, plainOf, release, VARIANT } from '../../packages/driver-windows/dist/com/com.js'
import { UiaClient } from '../../packages/driver-windows/dist/uia/client.js'
import { ARRAY, AUTOMATION, CLASS, INTERFACE, PROPERTY, SCOPE } from '../../packages/driver-windows/dist/uia/interfaces.js'

const [FIND_ALL, CURRENT_PROPERTY, CURRENT_PLACE] = [6, 11, 43]
const [OURS, THEIRS] = [7, 3]
const pipe = `\\\\.\\pipe\\deskhand-bench-${process.pid}`
spawn(process.execPath, [fileURLToPath(new URL('./provider.mjs', import.meta.url)), pipe], { stdio: 'ignore' })
while (!connect(pipe)) await sleep(50)

const client = new UiaClient()
const automation = createObject('CUIAutomation', CLASS, INTERFACE)
const condition = objectFrom('ControlViewCondition', automation, AUTOMATION.ControlViewCondition)
const root = objectFrom('ElementFromHandle', automation, AUTOMATION.ElementFromHandle, 'q', 1)

/** The same properties of the same elements, each asked for when it is needed. */
function oneByOne(element) {
  for (const property of Object.values(PROPERTY)) {
    const variant = Buffer.alloc(VARIANT)
    if (call(element, CURRENT_PROPERTY, 'iip', property, 1, variant) >= 0) plainOf(variant)
    clear(variant)
  }
  call(element, CURRENT_PLACE, 'p', Buffer.alloc(16))
  const children = objectFrom('FindAll', element, FIND_ALL, 'ip', SCOPE.CHILDREN, condition)
  if (children === 0n) return 1
  const length = Buffer.alloc(4)
  call(children, ARRAY.Length, 'p', length)
  let count = 1
  for (let i = 0; i < length.readInt32LE(0); i++) {
    const child = objectFrom('GetElement', children, ARRAY.GetElement, 'i', i)
    count += oneByOne(child)
    release(child)
  }
  return count
}

function timed(runs, work) {
  const [times, before] = [[], trips]
  let elements = 0
  for (let i = 0; i < runs; i++) {
    const started = performance.now()
    elements = work()
    times.push(performance.now() - started)
  }
  return { ms: times.toSorted((a, b) => a - b)[times.length >> 1], trips: (trips - before) / runs, elements }
}
const ours = timed(OURS, () => client.read(1, [1]).elements.length)
const theirs = timed(THEIRS, () => oneByOne(root))
writeFileSync(process.argv[2], JSON.stringify({ ours, theirs }))
process.exit(0)
