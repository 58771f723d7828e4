// The process that UI Automation tells of changes. It asks nothing of applications: a call that waits for one while that waits for this
// thread to take an event would never end.
import { handler } from '../com/handler.ts'
import { call, createObject, hex, objectFrom, startCom } from '../com/com.ts'
import { AUTOMATION, CHANGING, CLASS, EVENT, HANDLER, INTERFACE, SCOPE } from './interfaces.ts'

/** Changes that come together are told together. */
const TOGETHER_MS = 5

startCom()
const automation = createObject('CoCreateInstance(CUIAutomation)', CLASS, INTERFACE)
const root = objectFrom('GetRootElement', automation, AUTOMATION.GetRootElement)
const request = objectFrom('CreateCacheRequest', automation, AUTOMATION.CreateCacheRequest)
let telling: NodeJS.Timeout | undefined
const changed = handler(Object.values(HANDLER), () => {
  telling ??= setTimeout(() => {
    telling = undefined
    process.send?.({ changed: true })
  }, TOGETHER_MS)
})
const properties = Buffer.alloc(4 * CHANGING.length)
CHANGING.forEach((property, at) => properties.writeInt32LE(property, 4 * at))

const { SUBTREE } = SCOPE
const answers: [string, number][] = [
  ['structure', call(automation, AUTOMATION.AddStructureChangedEventHandler, 'pipp', root, SUBTREE, request, changed)],
  [
    'properties',
    call(
      automation,
      AUTOMATION.AddPropertyChangedEventHandlerNativeArray,
      'pipppi',
      root,
      SUBTREE,
      request,
      changed,
      properties,
      CHANGING.length,
    ),
  ],
  ['focus', call(automation, AUTOMATION.AddFocusChangedEventHandler, 'pp', request, changed)],
  ...Object.entries(EVENT).map(([name, event]): [string, number] => [
    name,
    call(automation, AUTOMATION.AddAutomationEventHandler, 'ipipp', event, root, SUBTREE, request, changed),
  ]),
]
process.send?.({ answers: answers.map(([name, answer]) => [name, hex(answer)]) })
process.on('disconnect', () => process.exit(0))
