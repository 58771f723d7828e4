import type { Driver } from '../driver.ts'

/** The window that every fixture program shows. A toolkit whose names differ says so in its own copy. */
export interface Fixture {
  window: string
  /** Adds one to the number that the counter's text ends in. */
  button: string
  counter: string
  checkbox: string
  field: string
  area: string
  /** Would count too, if it were enabled. */
  disabled: string
  /** In a list or a drop-down list. */
  options: [string, string, string]
  menu: string
  /** In the menu; opens the dialog. */
  item: string
  /** A button that opens the dialog too, where a system tells nothing of menus. */
  opener?: string
  dialog: string
  close: string
  password: string
}

export const CONTRACT_WINDOW: Fixture = {
  window: 'Contract',
  button: 'Press me',
  counter: 'Count: ',
  checkbox: 'Accept',
  field: 'Name',
  area: 'Notes',
  disabled: 'Disabled',
  options: ['Red', 'Green', 'Blue'],
  menu: 'File',
  item: 'About',
  dialog: 'About',
  close: 'Close',
  password: 'Password',
}

export interface Opened {
  driver: Driver
  fixture: Fixture
  /** What this system tells nothing of: the answer that is given instead, which the driver must report. */
  unread?: { menu: string }
  /** Why characters that a person's keyboard lacks are not typed here; a text with one is refused as a whole. */
  untyped?: string
  close(): Promise<void>
}
