import { placeIn } from '../support/desk.ts'
import { python } from '../support/real-routes.ts'
import {
  describeRoundabout,
  dropped,
  heldKey,
  inMenu,
  key,
  listKeys,
  menuInOneCall,
  ownMenu,
  rawKeys,
  scrolledUnder,
  secondClick,
  turned,
  type Way,
} from '../support/roundabout.ts'

const WAYS: readonly Way[] = [
  rawKeys('Archive', 'Archive', '\n'),
  {
    control: 'Archive',
    by: 'the key at the end of a text',
    from: 'Archive',
    go: (call) => call('ui.type', { text: '', submit: 'Enter' }),
  },
  {
    control: 'Archive',
    by: 'the key at the end of a text for it',
    go: (call) => call('ui.type', { target: 'role=button && name="Archive"', text: '', submit: 'Enter' }),
  },
  key('Amount', 'Amount', 'End', 'ctrl+Backspace'),
  key('Amount', 'Amount', 'Home', 'ctrl+Delete'),
  ownMenu,
  {
    control: 'Amount',
    by: 'a press on the picture in it',
    go: async (call) => {
      const { x, y, w, h } = placeIn(await call('ui.query', { selector: 'role=textbox && name="Amount"' }))
      await call('ui.click_xy', { x: Math.round(x + w * 0.98), y: Math.round(y + h / 2) })
    },
  },
  menuInOneCall('ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter'),
  dropped,
  listKeys('role=combobox && name="Colour"', 'ArrowDown', 'Enter'),
  key('Admin', 'role=tablist', 'ArrowRight'),
  key('Admin', 'role=tablist', 'End'),
  turned('ctrl+PageDown'),
  key('Remote', 'Note', 'alt+h'),
  key('Wreck', 'Note', 'ctrl+j'),
  inMenu('ArrowUp', 'Enter'),
  inMenu('ArrowUp', 'space'),
  inMenu('ArrowDown', ['ArrowDown', 'Enter']),
  {
    control: 'Erase',
    by: 'a text that is to replace what a list holds',
    from: 'Files',
    go: (call) => call('ui.type', { text: '', mode: 'replace' }),
    hand: async (desk) => void desk.ask('xdotool', 'key', 'ctrl+a', 'Delete'),
  },
  scrolledUnder,
  {
    ...scrolledUnder,
    by: 'a script that scrolls it under the pointer',
    go: async (call) => {
      const { x, y, w, h } = placeIn(await call('ui.query', { selector: 'name="View"' }))
      await call('script.run', { script: `pyautogui.scroll(-40, ${Math.round(x + w / 2)}, ${Math.round(y + h / 2)})` })
    },
  },
  heldKey,
  secondClick,
  {
    ...secondClick,
    by: 'the second of two clicks on a point',
    go: async (call) => {
      const { x, y, w, h } = placeIn(await call('ui.query', { selector: 'role=button && name="Next"' }))
      await call('gui_click', { x: Math.round(x + w / 2), y: Math.round(y + h / 2), clicks: 2 })
    },
  },
]

describeRoundabout('GTK 3', python('roundabout_gtk3.py'), WAYS)
