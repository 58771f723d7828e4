import { expect, test } from 'vitest'
import { desk, element, window } from '../support/desk.ts'
import { MUSIC, TRIP, type Question } from './unseen-questions.ts'

/** Two windows and a dialog over them, as a person who looks at the screen would describe them. */
const ui = {
  windows: [
    window('Mail', [
      element('label', 'Inbox (3)'),
      element('button', 'Write'),
      element('button', 'Reply', { is_enabled: false }),
      element('checkbox', 'Unread only', { attributes: { is_checked: true } }),
      element('checkbox', 'Show pictures'),
      element('text_field', 'Search', { value: 'invoice' }),
    ]),
    window('Order 1042', [
      element('label', 'Total 48.50'),
      element('text_field', 'Customer', { value: 'Ines Ortega' }),
      element('text_field', 'Street', { value: '' }),
      element('password_field', 'PIN', { value: '4711' }),
      element('checkbox', 'Express'),
      element('button', 'Place order'),
      element('button', 'Discard'),
    ]),
  ],
}
const CANNOT = /cannot tell|can't tell|do not know|don't know/i

/** Questions of a person who had not seen how they are answered, each with what a right answer says. */
const QUESTIONS: readonly (readonly [string, RegExp])[] = [
  ['What windows are open?', /Mail.*Order 1042|Order 1042.*Mail/s],
  ['Which windows do you see?', /Mail.*Order 1042|Order 1042.*Mail/s],
  ['How many windows are open?', /\b(2|two)\b/i],
  ['List all open windows.', /Mail.*Order 1042|Order 1042.*Mail/s],
  ['Is the Mail window open?', /yes|open|Mail/i],
  ['Is there a window called Calculator?', /no|nothing/i],
  ['What is the active window?', /Mail|Order 1042/],
  ['Which window is in front?', /Mail|Order 1042/],
  ['What has the focus?', /focus|nothing/i],
  ['Where is the keyboard focus?', /focus|nothing/i],
  ['Where is the Write button?', /Write.*\(\d+, \d+\)/s],
  ['Where can I click to place the order?', /Place order.*\(\d+, \d+\)/s],
  ['Where is the "Discard" button?', /Discard.*\(\d+, \d+\)/s],
  ['What are the coordinates of Place order?', /\(\d+, \d+\)/],
  ['Find the Search field', /Search.*\(\d+, \d+\)/s],
  ['Locate the Street field', /Street.*\(\d+, \d+\)/s],
  ['In which window is the Reply button?', /Mail/],
  ['Which window has the Customer field?', /Order 1042/],
  ['Is the Reply button enabled?', /disabled|not enabled|no\b/i],
  ['Can I click Reply?', /disabled|not enabled|no\b|cannot be/i],
  ['Is the Write button enabled?', /is enabled|yes/i],
  ['Is Write disabled?', /is enabled|no\b/i],
  ['Is "Unread only" checked?', /is checked|yes/i],
  ['Is the box Show pictures ticked?', /unchecked|not checked|not ticked|no\b/i],
  ['Is Express selected?', /unchecked|not checked|not selected|no\b/i],
  ['Which check boxes are checked?', /Unread only/],
  ['What does the Customer field contain?', /Ines Ortega/],
  ['What is written in Customer?', /Ines Ortega/],
  ['What is the value of Search?', /invoice/],
  ['Is the Street field empty?', /empty|yes/i],
  ['What is in the Street field?', /empty|nothing/i],
  ['What is the PIN?', /^(?!.*4711)/s],
  ['What does the PIN field contain?', /^(?!.*4711)/s],
  ['Which fields are there?', /Customer.*Street|Search/s],
  ['What fields can I fill in?', /Customer.*Street|Search/s],
  ['Which buttons are there?', /Write.*Discard|Discard.*Write/s],
  ['What buttons can I press?', /Place order/],
  ['List the check boxes', /Unread only.*Express|Express.*Unread only/s],
  ['How many buttons are there?', /\b(4|four)\b/i],
  ['Is there a Cancel button?', /no|nothing/i],
  ['Is there a "Print" button?', /no|nothing/i],
  ['Do you see the text "Total 48.50"?', /Total 48\.50/],
  ['What is the total?', /48\.50/],
  ['Is a dialog open?', /no/i],
  ['What does the dialog say?', /no/i],
  ['Is there an error message?', /no|nothing|cannot tell/i],
  ['Describe the screen', /Mail.*Order 1042|Order 1042.*Mail/s],
  ['What do you see?', /Mail.*Order 1042|Order 1042.*Mail/s],
  ['What colour is the Place order button?', CANNOT],
  ['What will happen when I place the order?', CANNOT],
  ['Who wrote the last mail?', CANNOT],
  ['What time is it in Madrid?', CANNOT],
]

/** Of what share of the questions the answer has to be right. */
const BAR = 0.95

test.each([
  ['mail and an order', { ui, questions: QUESTIONS }],
  ['a form with a table', TRIP],
  ['lists, settings and a dialog over them', MUSIC],
])('questions about %s are answered rightly without a model, and no secret is told', async (_, { ui: desktop, questions }) => {
  const d = await desk({ ui: desktop })
  const wrong: string[] = []
  for (const [prompt, right, not] of questions as readonly Question[]) {
    const { data } = await d.call('gui_analyze_screen', { prompt })
    const { analysis = '' } = data as { analysis?: string }
    expect(analysis, prompt).not.toMatch(/4711|hunter2/)
    if (!right.test(analysis) || not?.test(analysis)) wrong.push(`${prompt} → ${analysis}`)
  }
  await d.session.close()
  expect(1 - wrong.length / questions.length, wrong.join('\n')).toBeGreaterThanOrEqual(BAR)
})

test('more than a hundred questions are asked', () => {
  expect([QUESTIONS, TRIP.questions, MUSIC.questions].flat().length).toBeGreaterThan(100)
})
