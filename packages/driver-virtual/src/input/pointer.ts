import { contains, type Button, type Point } from '@deskhand/core/model'
import { press as activatePress, operative } from './activate.ts'
import { beginDrag, drop, windowGrip, type Drag } from './drag.ts'
import type { Desktop } from '../desktop.ts'
import { setFocus } from '../focus.ts'
import { hitTest } from '../hit.ts'
import { NOTCH } from '../metrics.ts'
import { closest, isEnabled, isInside, type Element } from '../model/element.ts'
import { closePopup, closePopups, setCurrent } from '../popups.ts'
import { scrollBy } from '../scroll.ts'
import { activate, blockedBy } from '../windows.ts'
import { widgetOf } from '../widgets/index.ts'
import { openContextMenu } from './context-menu.ts'
import type { Modifiers } from './keyboard.ts'

/** Clicks this close in time and place count as a double click. On a manual clock only clicks of one step do. */
const DOUBLE_MS = 400
const DOUBLE_PX = 4

/** The mouse: what is under it, what it pressed, and what it drags. */
export class Pointer {
  readonly down = new Set<Button>()
  readonly #desk: Desktop
  readonly #modifiers: () => Modifiers
  #pressed: Element | undefined
  #done = false
  #drag: Drag | undefined
  #streak = { count: 0, at: { x: 0, y: 0 }, time: -Infinity, button: 'left' }

  constructor(desk: Desktop, modifiers: () => Modifiers) {
    this.#desk = desk
    this.#modifiers = modifiers
  }

  /** Clicks before now belong to something else. */
  endStreak(): void {
    this.#streak.time = -Infinity
  }

  move(at: Point): void {
    const desk = this.#desk
    desk.pointer = { x: at.x, y: at.y }
    const { element } = hitTest(desk, at)
    if (element !== desk.hovered) {
      const before = desk.hovered
      desk.hovered = element
      for (const el of [before, element])
        if (el && desk.elements.has(el.key) && !el.frame) desk.touch(el.kind === 'cell' && el.parent ? el.parent : el)
      if (before && desk.elements.has(before.key)) desk.emit(before, 'leave')
      if (element && isEnabled(element)) desk.emit(element, 'hover')
    }
    if (element?.kind === 'menuitem' && desk.popups.length) setCurrent(desk, element)
    if (this.#drag) this.#drag.to(at)
    else if (this.#pressed && this.down.has('left') && isEnabled(this.#pressed)) widgetOf(this.#pressed).drag?.(desk, this.#pressed, at)
  }

  press(button: Button): void {
    const desk = this.#desk
    const at = desk.pointer
    this.down.add(button)
    const { window, element } = hitTest(desk, at)
    this.#pressed = undefined
    this.#done = false
    this.#countClick(button, at)
    if (!window || !element) return closePopups(desk)
    for (const open of [...desk.popups].reverse()) if (!isInside(element, open) && !hasIn(open, at)) closePopup(desk, open)
    const blocker = blockedBy(desk, window)
    activate(desk, blocker ?? window)
    if (blocker) return
    const grip = button === 'left' && element === window ? windowGrip(desk, window, at) : undefined
    if (grip) return void (this.#drag = grip)
    const target = operative(element)
    this.#pressed = target
    if (!isEnabled(target)) return
    if (target.kind !== 'menu' && target.kind !== 'menuitem' && target.parent?.kind !== 'select') setFocus(desk, target)
    const { shift, control } = this.#modifiers()
    if (button === 'left') {
      this.#done = widgetOf(target).down?.(desk, target, { at, count: this.#streak.count, shift, control }) ?? false
      this.#drag = beginDrag(desk, element, at)
    }
  }

  release(button: Button): void {
    const desk = this.#desk
    if (!this.down.delete(button)) return
    const at = desk.pointer
    const { element } = hitTest(desk, at)
    const drag = this.#drag
    const pressed = this.#pressed
    this.#drag = undefined
    this.#pressed = undefined
    if (drag) {
      if (drag.moved()) return drop(desk, drag, element, at)
      if (!pressed) return drag.click?.()
    }
    if (!pressed || !element || !desk.elements.has(pressed.key) || !isEnabled(pressed)) return
    if (operative(element) !== pressed && !isInside(element, pressed)) return
    if (button === 'right') return this.#context(pressed, at)
    if (button !== 'left') return
    activatePress(desk, pressed, this.#done)
    if (this.#streak.count === 2) {
      const source = closest(element, (e) => e.attributes.on?.['double_click'] !== undefined)
      if (source && desk.elements.has(source.key)) desk.emit(source, 'double_click')
    }
  }

  wheel(dx: number, dy: number): void {
    const { element } = hitTest(this.#desk, this.#desk.pointer)
    if (element) scrollBy(this.#desk, element, dx * NOTCH, dy * NOTCH)
  }

  /** Lets go of everything without a click. */
  releaseAll(): void {
    this.down.clear()
    this.#drag = undefined
    this.#pressed = undefined
  }

  #countClick(button: Button, at: Point): void {
    const s = this.#streak
    const now = this.#desk.clock.now()
    const again =
      s.button === button && now - s.time <= DOUBLE_MS && Math.abs(s.at.x - at.x) <= DOUBLE_PX && Math.abs(s.at.y - at.y) <= DOUBLE_PX
    this.#streak = { count: again ? s.count + 1 : 1, at: { ...at }, time: now, button }
  }

  #context(el: Element, at: Point): void {
    openContextMenu(this.#desk, el, at)
    const source = closest(el, (e) => e.attributes.on?.['right_click'] !== undefined)
    if (source) this.#desk.emit(source, 'right_click')
  }
}

const hasIn = (popup: Element, at: Point): boolean => popup.popup !== undefined && contains(popup.popup, at)
