import { element, window } from '../support/desk.ts'

/** A question of a person at the screen, what a right answer says, and what it must not say. */
export type Question = readonly [prompt: string, right: RegExp, wrong?: RegExp]

/** A desktop, and what was asked about it by somebody who had not seen how questions are answered. */
export interface Asked {
  ui: { windows: unknown[] }
  questions: readonly Question[]
}

const placed = (at: readonly number[], win: Record<string, unknown>): Record<string, unknown> => ({ ...win, bounds_relative: at })
const row = (type: string, cells: readonly string[], isSelected = false): Record<string, unknown> => ({
  element_id: `row ${cells[0]}`,
  element_type: 'row',
  attributes: { is_selected: isSelected },
  children: cells.map((text) => element(type, text)),
})
const CANNOT = /cannot tell|can't tell|do not know|don't know/i

export const TRIP: Asked = {
  ui: {
    windows: [
      placed(
        [0, 0, 0.6, 1],
        window('Trip planner', [
          element('menu_bar', 'Menu', {
            children: ['File', 'Edit', 'Help'].map((name) => element('menu', name, { children: [element('menu_item', `${name} all`)] })),
          }),
          element('text_field', 'From', { value: 'Lisbon' }),
          element('text_field', 'To', { value: 'Oslo' }),
          element('select', 'Class', { value: 'Business', attributes: { options: ['Economy', 'Business', 'First'] } }),
          element('radio', 'One way'),
          element('radio', 'Return', { attributes: { is_checked: true } }),
          element('spin', 'Passengers', { value: 3, attributes: { min: 1, max: 9 } }),
          element('checkbox', 'Travel insurance', { attributes: { is_checked: true } }),
          element('checkbox', 'Newsletter'),
          element('button', 'Search flights'),
          element('button', 'Book', { is_enabled: false }),
          element('table', 'Flights', {
            children: [
              row('columnheader', ['Flight', 'Departs', 'Price']),
              row('cell', ['TP 712', '07:40', '189 EUR']),
              row('cell', ['SK 4609', '11:15', '204 EUR'], true),
              row('cell', ['LH 1791', '18:05', '176 EUR']),
            ],
          }),
          element('progress_bar', 'Loading', { value: 40 }),
          element('status_bar', 'Status', { children: [element('label', '3 flights found')] }),
        ]),
      ),
      placed(
        [0.62, 0, 0.36, 0.5],
        window('Notes', [element('text_area', 'Packing list', { value: 'passport\ncharger\numbrella' }), element('button', 'Save')]),
      ),
    ],
  },
  questions: [
    ['Describe what you see on screen', /Trip planner.*Notes|Notes.*Trip planner/s],
    ["What's on the screen right now?", /Trip planner.*Notes|Notes.*Trip planner/s],
    ['What is written in the From field?', /Lisbon/, /Oslo/],
    ['Which class is selected?', /Business/, /Economy|First/],
    ["What's the value of Passengers?", /\b3\b/],
    ['Is travel insurance ticked?', /yes|checked|ticked/i, /\bnot (checked|ticked)|unchecked/i],
    ['Is the newsletter box checked?', /\bno\b|not checked|unchecked/i],
    ['Can I press Book?', /\bno\b|disabled|cannot|greyed/i],
    ['Is the Search flights button enabled?', /yes|enabled/i, /disabled|not enabled/i],
    ['How many flights are listed?', /\b(3|three)\b/i],
    ['What does flight LH 1791 cost?', /176/],
    ['When does SK 4609 depart?', /11:15/],
    ['Which row is selected?', /SK 4609/, /TP 712|LH 1791/],
    ['What columns does the table have?', /Flight.*Departs.*Price/s],
    ['Is Return or One way selected?', /Return/, /One way is selected/],
    ['What does the status bar say?', /3 flights found/],
    ['Which menus are there?', /File.*Edit.*Help/s],
    ['How many checkboxes are there?', /\b(2|two)\b/i],
    ['Which checkboxes are checked?', /Travel insurance/, /Newsletter(?!.*not)/s],
    ['Which buttons are disabled?', /Book/, /Search flights|Save/],
    ['List the buttons', /Search flights.*Book.*Save|Save.*Search flights.*Book/s],
    ['Where is the Save button?', /\(\s*\d+\s*,\s*\d+\s*\)/],
    ['What is in the packing list?', /umbrella/],
    ['Does the word umbrella appear on the screen?', /yes|umbrella/i, /\bno\b/i],
    ['Is the word Stockholm anywhere?', /\bno\b|not|nothing/i],
    ['Is there an error message on the screen?', /\bno\b|nothing|cannot tell/i],
    ['What is the weather in Oslo?', CANNOT],
    ['Who is logged in?', CANNOT],
    ['Which text fields are there and what do they contain?', /Lisbon.*Oslo/s],
    ['How far is the loading?', /\b40\b/],
  ],
}

export const MUSIC: Asked = {
  ui: {
    windows: [
      placed(
        [0, 0, 0.45, 1],
        window('Jukebox', [
          element('toolbar', 'Controls', {
            attributes: { layout: 'row' },
            children: [element('button', 'Play'), element('button', 'Pause', { is_enabled: false }), element('button', 'Next')],
          }),
          element('label', 'Now playing: Blue Train'),
          element('slider', 'Volume', { value: 65, attributes: { min: 0, max: 100 } }),
          element('toggle_button', 'Shuffle', { attributes: { is_checked: true } }),
          element('list', 'Playlists', { value: 'Workout', attributes: { options: ['Morning', 'Workout', 'Sleep'] } }),
          element('text_field', 'Search songs', { value: '' }),
          element('image', 'Album cover'),
        ]),
      ),
      placed(
        [0.48, 0, 0.5, 0.95],
        window('Preferences', [
          element('tabs', 'Pages', { value: 'Audio', children: ['General', 'Audio', 'Network'].map((name) => element('tab', name)) }),
          element('select', 'Output device', { value: 'Headphones', attributes: { options: ['Speakers', 'Headphones'] } }),
          element('switch', 'Equalizer', { attributes: { is_checked: true } }),
          element('switch', 'Crossfade'),
          element('password_field', 'Account password', { value: 'hunter2' }),
          element('spin', 'Buffer size', { value: 512, attributes: { min: 64, max: 4096 } }),
          element('radio_group', 'Quality', {
            value: 'High',
            children: [element('radio', 'Low'), element('radio', 'Medium'), element('radio', 'High', { attributes: { is_checked: true } })],
          }),
          element('link', 'Restore defaults'),
          element('button', 'Apply', { is_enabled: false }),
          element('button', 'Close'),
        ]),
      ),
      window(
        'Disk almost full',
        [
          element('label', 'Only 2 GB are left on drive D. Delete old recordings?'),
          element('button', 'Delete'),
          element('button', 'Later'),
        ],
        { modal: true },
      ),
    ].map((win, i) => (i === 2 ? { ...win, element_type: 'dialog' } : win)),
  },
  questions: [
    ['What programs can you see?', /Jukebox.*Preferences|Preferences.*Jukebox/s],
    ['Tell me what is open on this desktop', /Jukebox.*Preferences|Preferences.*Jukebox/s],
    ['How loud is it set?', /\b65\b|cannot tell/i],
    ['What is the volume?', /\b65\b/],
    ['Which song is playing?', /Blue Train/],
    ['Which playlist is chosen?', /Workout/, /Morning|Sleep/],
    ['What playlists are there?', /Morning.*Workout.*Sleep/s],
    ['Is shuffle on?', /yes|\bon\b|pressed|checked/i, /\boff\b|not (on|pressed|checked)/i],
    ['Is the Pause button clickable?', /\bno\b|disabled|cannot/i],
    ['Is Crossfade turned on?', /\bno\b|\boff\b|not/i],
    ['Is the equalizer enabled?', /yes|\bon\b|enabled|checked/i, /\boff\b|not (on|checked|enabled)/i],
    ['Which tab is active?', /Audio/, /General|Network/],
    ['What tabs are there?', /General.*Audio.*Network/s],
    ['Which output device is used?', /Headphones/, /Speakers/],
    ['What quality is picked?', /High/, /\bLow\b|Medium/],
    ['What is the buffer size?', /\b512\b/],
    ['What is the account password?', /./s, /hunter2/],
    ['Is the search field empty?', /yes|empty/i, /not empty/i],
    ['What does the warning say?', /Only 2 GB/],
    ['Is there a dialog on the screen?', /yes|Disk almost full/i],
    ['What buttons does the dialog offer?', /Delete.*Later|Later.*Delete/s, /Apply|Play/],
    ['What do I have to answer?', /Delete|Later|recordings/],
    ['How much space is left on drive D?', /2 GB/],
    ['Where can I click to close the preferences?', /Close.*\(\s*\d+\s*,\s*\d+\s*\)/s],
    ['Are there any links?', /Restore defaults/],
    ['Which switches are there?', /Equalizer.*Crossfade/s],
    ['Which window is blocked?', /Jukebox|Preferences|cannot tell/i],
    ['Do you see a Record button?', /\bno\b|not|nothing/i],
    ['What is the name of the artist?', CANNOT],
    ['Will the disk be full tomorrow?', CANNOT],
    ['What is to the left of Next?', /Pause|cannot tell/i],
    ['Which element is selected in the list?', /Workout/, /Morning|Sleep/],
  ],
}
