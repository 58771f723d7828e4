import type { CapName, Driver } from '../driver.ts'

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
  /** What a program that was not made for the suite does not have: cases that need it say nothing of it. */
  lacks?: readonly Lacking[]
}

/** Parts of the window that have one role and one name. */
export type Part = 'button' | 'counter' | 'checkbox' | 'field' | 'area' | 'disabled' | 'menu' | 'item' | 'password'
export type Lacking = Part | 'options' | 'dialog'

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
  /** What this program does not let be done by its elements: the answer that is given instead, which the driver must report. */
  refuses?: Partial<Record<CapName, string>>
  close(): Promise<void>
}
