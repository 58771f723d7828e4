import { placeIn } from '../support/desk.ts'
import { python } from '../support/real-routes.ts'
import {
  describeRoundabout,
  dropped,
  heldKey,
  inMenu,
  key,
  listEntry,
  listKeys,
  menuInOneCall,
  rawKeys,
  scrolledUnder,
  secondClick,
  turned,
  type Way,
} from '../support/roundabout.ts'

const COLOUR = 'name="Colour" && role!=label'

const WAYS: readonly Way[] = [
  rawKeys('Archive', 'Note', '\n'),
  key('Archive', 'Note', 'Enter'),
  { control: 'Archive', by: 'the key at the end of a text', from: 'Note', go: (call) => call('ui.type', { text: 'x', submit: 'Enter' }) },
  key('Amount', 'Amount', 'End', 'ctrl+Backspace'),
  menuInOneCall('ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter'),
  {
    control: 'Amount',
    by: 'a point in its own menu, which is not told',
    from: 'Amount',
    go: async (call) => {
      await call('ui.key', { keys: 'ctrl+a' })
      await call('ui.click', { target: 'role=textbox && name="Amount"', button: 'right' })
      const { x, y, w, h } = placeIn(await call('ui.query', { selector: 'role=window && name=""', timeoutMs: 3_000 }))
      await call('ui.click_xy', { x: Math.round(x + w / 2), y: Math.round(y + h * 0.15) })
    },
  },
  {
    control: 'Amount',
    by: 'a press on the picture in it',
    go: async (call) => {
      const { x, y, w, h } = placeIn(await call('ui.query', { selector: 'role=textbox && name="Amount"' }))
      await call('ui.click_xy', { x: Math.round(x + w * 0.98), y: Math.round(y + h / 2) })
    },
  },
  dropped,
  listKeys(COLOUR, 'ArrowDown', 'Enter'),
  listEntry(COLOUR, 'name="Green" && role!=label'),
  turned('ArrowRight'),
  turned('End'),
  turned('ctrl+PageDown'),
  {
    control: 'Archive',
    by: 'Enter on a tab',
    go: async (call) => {
      await call('ui.click', { target: 'role=tab && name="General"' })
      await call('ui.key', { keys: 'Enter' })
    },
  },
  key('Archive', 'role=label && name="page of General"', 'Enter'),
  key('Remote', 'Note', 'alt+r'),
  key('Wreck', 'Note', 'ctrl+j'),
  inMenu('ArrowDown', 'Enter'),
  inMenu(['ArrowDown', 'Enter']),
  scrolledUnder,
  heldKey,
  secondClick,
]

describeRoundabout('GTK 4', python('roundabout_gtk4.py'), WAYS)
