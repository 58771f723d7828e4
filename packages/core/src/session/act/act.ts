import type { Sent } from '../../driver/driver.ts'
import { DeskhandError } from '../../errors.ts'
import type { Action } from '../../model/index.ts'
import { chordEvents, keys, type } from './keyboard.ts'
import { atNode, click, clickAt, drag, focus, pointer, scroll } from './pointer.ts'
import { keyOf, pointOf, type ActContext, type Unreached } from './act-context.ts'

/** Carries an action out on the route that was judged, and on no other. */
export function act(action: Action, on: ActContext): Promise<Sent | Unreached> {
  switch (action.do) {
    case 'click':
      return click(on, { button: action.button, count: action.clickCount, modifiers: action.modifiers ?? [] })
    case 'click_xy':
      return clickAt(on, pointOf(on), { button: action.button, count: action.clickCount, modifiers: action.modifiers ?? [] })
    case 'hover':
      return atNode(on, (p) => [{ type: 'move', ...p }], { by: 'move' })
    case 'scroll':
      return scroll(on, action.deltaX, action.deltaY)
    case 'focus':
      return focus(on)
    case 'type':
      return type(on, action.mode, action.submit !== undefined)
    case 'key':
      return keys(on, chordEvents(action.keys, action.holdMs), action.target !== undefined)
    case 'keys':
      return keys(on, action.events, false)
    case 'pointer':
      return pointer(on, action.events)
    case 'drag':
      return drag(on, action.durationMs)
    case 'window':
      return on.lease.step({ do: 'window', key: keyOf(on), op: action.op, rect: action.bounds }, {}, on.signal)
    case 'launch':
      return on.lease.step({ do: 'launch', app: action.app, args: action.args, waitMs: action.timeoutMs }, {}, on.signal)
    case 'clipboard_write':
      return on.lease.step({ do: 'clipboard', text: on.text ?? action.text }, {}, on.signal)
    case 'close':
      throw new DeskhandError('INTERNAL', 'an application is closed by its windows')
    case 'capabilities':
    case 'snapshot':
    case 'query':
    case 'describe':
    case 'capture':
    case 'wait':
    case 'assert':
    case 'screens':
    case 'apps':
    case 'clipboard_read':
    case 'ask':
    case 'plan':
    case 'code':
    case 'simulate':
      throw new DeskhandError('INTERNAL', `${action.do} sends no input`)
    default:
      return action satisfies never
  }
}
