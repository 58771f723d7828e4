import type { Point, States } from '@deskhand/core/model'
import type { Desktop } from '../desktop.ts'
import type { Element } from '../model/element.ts'

/** A key with the modifiers held while it went down; `char` is what it would type. */
export interface Stroke {
  key: string
  char: string | undefined
  shift: boolean
  control: boolean
  alt: boolean
}

export interface Press {
  at: Point
  /** 1 for a single click, 2 for a double one. */
  count: number
  shift: boolean
  control: boolean
}

interface Face {
  value?: string
  states?: States
  actions?: string[]
}

/** How one kind of element behaves. What is left out does nothing. */
export interface Widget {
  /** What its node says beside the common part. */
  face?(desk: Desktop, el: Element): Face
  /** What a click, Space, Enter or a press does. */
  activate?(desk: Desktop, el: Element): void
  /** The pointer went down on it; true when the rest of the click shall do nothing more than run rules. */
  down?(desk: Desktop, el: Element, press: Press): boolean
  /** The pointer moved while it was down on it. */
  drag?(desk: Desktop, el: Element, at: Point): void
  /** True when the key was for this widget. */
  key?(desk: Desktop, el: Element, stroke: Stroke): boolean
  select?(desk: Desktop, el: Element): void
  expand?(desk: Desktop, el: Element, open: boolean): void
  setValue?(desk: Desktop, el: Element, value: number): void
}
