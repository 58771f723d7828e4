import { java } from '../support/real-routes.ts'
import { describeRoundabout, rows, inMenu, key, listEntry, listKeys, secondClick, turned, type Way } from '../support/roundabout.ts'

/** Swing grabs the keyboard for what it opens, and no agent's keys are sent meanwhile. */
const byHand = (way: Way, opens: string, ...keys: string[]): Way => ({
  ...way,
  hand: async (desk, at) => {
    desk.ask('xdotool', 'mousemove', ...(await at(opens)), 'click', '1', 'sleep', '1', 'key', '--delay', '200', ...keys)
  },
})

const WAYS: readonly Way[] = [
  key('Archive', 'Note', 'Enter'),
  key('Archive', 'Option', 'Enter'),
  key('Archive', 'Hint', 'Enter'),
  { control: 'Archive', by: 'the key at the end of a text', from: 'Note', go: (call) => call('ui.type', { text: 'x', submit: 'Enter' }) },
  key('Amount', 'Amount', 'End', 'ctrl+h'),
  key('Amount', 'Amount', 'ctrl+a', 'shift+Delete'),
  byHand(listKeys('label="Colour"', 'ArrowDown', 'Enter'), 'label="Colour"', 'Down', 'Return'),
  listEntry('label="Colour"', 'role=label && name="Green"'),
  turned('ArrowRight'),
  turned('ctrl+PageDown'),
  key('Wreck', 'Note', 'ctrl+j'),
  byHand(inMenu('ArrowDown', 'ArrowDown', 'Enter'), 'role=menu && name="File"', 'Down', 'Down', 'Return'),
  byHand(inMenu('ArrowDown', ['ArrowDown', 'Enter']), 'role=menu && name="File"', 'Down', 'Down', 'Return'),
  rows(['ArrowDown'], ['Enter']),
  rows(['ArrowDown', 'Enter']),
  // Swing does not say that a button has another name.
  {
    ...secondClick,
    hand: async (desk, at) => {
      const place = await at('role=button && (name="Next" || name="Shred")')
      desk.ask('xdotool', 'mousemove', ...place, 'click', '--repeat', '2', '--delay', '300', '1')
    },
  },
]

describeRoundabout('Java', java('Roundabout'), WAYS)
