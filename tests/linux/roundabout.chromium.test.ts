import { page } from '../support/real-routes.ts'
import { describeRoundabout, key, listKeys, rawKeys, rows, secondClick, type Way } from '../support/roundabout.ts'

const MONTH = 'role=spinbutton && name^="Month"'
const DAY = 'role=cell && name~="May 6"'
const COLOUR = 'role=combobox && name="Colour"'

const WAYS: readonly Way[] = [
  rawKeys('Archive', 'Note', '\n'),
  key('Archive', 'Note', 'Enter'),
  key('Archive', 'Option', 'Enter'),
  { control: 'Archive', by: 'the key at the end of a text', from: 'Note', go: (call) => call('ui.type', { text: 'x', submit: 'Enter' }) },
  key('Destroy', 'Search', 'Enter'),
  key('Amount', 'Amount', 'End', 'ctrl+Backspace'),
  {
    control: 'Amount',
    by: 'an entry of its own menu',
    from: 'Amount',
    go: async (call) => {
      await call('ui.key', { keys: 'ctrl+a' })
      await call('ui.click', { target: 'role=textbox && name="Amount"', button: 'right' })
      await call('ui.click', { target: 'role=menuitem && name^="Cut"', timeoutMs: 5_000 })
    },
  },
  {
    control: 'Limit',
    by: 'text that is dropped on what stands in it',
    from: 'Note',
    go: async (call) => {
      await call('ui.key', { keys: 'ctrl+a' })
      await call('ui.drag', { from: 'role=textbox && name="Note"', to: 'role=paragraph', durationMs: 800 })
    },
  },
  listKeys(COLOUR, 'ArrowDown', 'Enter'),
  listKeys(COLOUR, 'g', 'Enter'),
  { control: 'Remote', by: 'a press on its label', go: (call) => call('ui.click', { target: 'role=label && name="Faraway"' }) },
  key('Admin', 'role=tab && name="General"', 'ArrowRight'),
  key('Due', MONTH, 'ArrowUp'),
  { control: 'Due', by: 'a number typed into its month', go: (call) => call('ui.type', { target: MONTH, text: '7' }) },
  {
    control: 'Due',
    by: 'its calendar',
    from: MONTH,
    go: async (call) => {
      await call('ui.key', { keys: 'alt+ArrowDown' })
      await call('ui.wait', { until: { uiState: { target: DAY, visible: true } } })
      await call('ui.click', { target: DAY })
    },
  },
  {
    control: 'Payee',
    by: 'its suggestions',
    from: 'Payee',
    go: async (call) => {
      for (const keys of ['ArrowDown', 'ArrowDown', 'Enter']) await call('ui.key', { keys })
    },
  },
  key('Wreck', 'Note', 'alt+j'),
  key('Save', 'Note', 'ctrl+s'),
  key('Purge', 'Chat', 'Enter'),
  rows(['ArrowDown'], ['Enter']),
  rows(['ArrowDown', 'Enter']),
  secondClick,
  {
    control: 'Wreck',
    by: 'the second of two clicks on a text',
    go: (call) => call('ui.click', { target: 'name="Turn"', clickCount: 2 }),
    hand: async (desk, at) => {
      desk.ask('xdotool', 'mousemove', ...(await at('name="Turn"')), 'click', '--repeat', '2', '--delay', '200', '1')
    },
  },
]

describeRoundabout('Chromium', page('roundabout.html'), WAYS)
