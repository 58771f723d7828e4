import { inQt6 } from '../support/real-routes.ts'
import {
  describeRoundabout,
  rows,
  inMenu,
  key,
  listEntry,
  listKeys,
  menuInOneCall,
  ownMenu,
  rawKeys,
  secondClick,
  type Way,
} from '../support/roundabout.ts'

const WAYS: readonly Way[] = [
  rawKeys('Archive', 'Note', '\n'),
  key('Archive', 'Note', 'Enter'),
  key('Archive', 'Option', 'Enter'),
  { control: 'Archive', by: 'the key at the end of a text', from: 'Note', go: (call) => call('ui.type', { text: 'x', submit: 'Enter' }) },
  key('Amount', 'Amount', 'Home', 'ctrl+k'),
  key('Amount', 'Amount', 'shift+Delete', 'ctrl+a', 'shift+Delete'),
  {
    control: 'Amount',
    by: 'keys that some keyboards have for copying and pasting',
    from: 'Note',
    go: async (call) => {
      await call('ui.key', { keys: ['ctrl+a', 'ctrl+c'] })
      await call('ui.focus', { target: 'role=textbox && name="Amount"' })
      await call('ui.key', { keys: 'F18' })
    },
  },
  ownMenu,
  menuInOneCall('ArrowUp', 'ArrowUp', 'Enter'),
  listKeys('label="Colour"', 'ArrowDown', 'Enter'),
  listKeys('label="Colour"', 'b', 'Enter'),
  listEntry('label="Colour"', '(role=listitem || role=option) && name="Green"'),
  {
    control: 'Admin',
    by: 'the wheel over the tab beside it',
    go: (call) => call('ui.scroll', { target: 'role=tab && name="General"', deltaY: 3 }),
  },
  {
    control: 'Leave',
    by: 'Escape in its message box',
    go: async (call) => {
      await call('ui.click', { target: 'role=button && name="Warn"' })
      await call('ui.wait', { until: { uiState: { target: 'role=button && name="Leave"', visible: true } } })
      await call('ui.key', { keys: 'Escape' })
    },
  },
  key('Remote', 'Note', 'alt+h'),
  key('Wreck', 'Note', 'ctrl+j'),
  inMenu('ArrowUp', 'Enter'),
  inMenu('ArrowDown', ['ArrowDown', 'Enter']),
  key('Purge', 'Note', 'alt+f', 'ArrowUp', 'Enter'),
  rows(['ArrowDown'], ['Enter']),
  rows(['ArrowDown', 'Enter']),
  rows(['d', 'Enter']),
  secondClick,
]

describeRoundabout('Qt 6', inQt6('roundabout_qt5.py'), WAYS)
