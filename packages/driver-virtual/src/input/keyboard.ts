import { parseChord } from '@deskhand/core/model'
import { press } from './activate.ts'
import type { Desktop } from '../desktop.ts'
import { isDisplayed, moveFocus } from '../focus.ts'
import { closest, descendants, isEnabled, isMultiline, type Element } from '../model/element.ts'
import { closePopups, openPopup, setCurrent } from '../popups.ts'
import { scrollBy } from '../scroll.ts'
import { closeWindow, isClosable, isModal } from '../windows.ts'
import { widgetOf } from '../widgets/index.ts'
import { menuKey } from '../widgets/menu.ts'
import { typeInto } from '../widgets/text.ts'
import type { Stroke } from '../widgets/widget.ts'
import { openContextMenu } from './context-menu.ts'

export interface Modifiers {
  shift: boolean
  control: boolean
  alt: boolean
}

/** The keyboard: what is held, and which element gets the next key. */
export class Keyboard {
  readonly down = new Set<string>()
  readonly #desk: Desktop

  constructor(desk: Desktop) {
    this.#desk = desk
  }

  modifiers(): Modifiers {
    const { down } = this
    return { shift: down.has('Shift'), control: down.has('Control') || down.has('Meta'), alt: down.has('Alt') }
  }

  press(key: string): void {
    this.down.add(key)
    if (key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta' || key === 'AltGraph') return
    this.#stroke({ key, char: charOf(key, this.down.has('Shift')), ...this.modifiers() })
  }

  release(key: string): void {
    this.down.delete(key)
  }

  /** One character as it is, regardless of held keys. */
  type(char: string): void {
    const { focus } = this.#desk
    const key = char === '\n' || char === '\r' ? 'Enter' : char === '\t' ? 'Tab' : char
    if (key === 'Tab' && focus && isMultiline(focus)) return typeInto(this.#desk, focus, '\t', false)
    this.#stroke({ key, char: key.length === 1 || key === char ? char : undefined, shift: false, control: false, alt: false })
  }

  #stroke(stroke: Stroke): void {
    const desk = this.#desk
    const { key } = stroke
    if (menuKey(desk, stroke, (el) => press(desk, el))) return
    const focus = desk.focus && isEnabled(desk.focus) ? desk.focus : undefined
    if (focus && widgetOf(focus).key?.(desk, focus, stroke)) return
    if (this.#ruled(focus, stroke) || this.#shortcut(stroke)) return
    if (key === 'Tab' && !stroke.alt) return moveFocus(desk, stroke.shift)
    if (focus && (key === ' ' || key === 'Enter') && !stroke.control && !stroke.alt && focus.kind !== 'text') return press(desk, focus)
    this.#window(focus, stroke)
  }

  /** Rules for keys: of the focused element, or of what is around it. */
  #ruled(focus: Element | undefined, stroke: Stroke): boolean {
    const start = focus ?? this.#desk.active
    for (let el = start; el; el = el.parent) {
      for (const event of Object.keys(el.attributes.on ?? {})) {
        if (event.startsWith('key:') && matches(event.slice(4), stroke)) return (this.#desk.emit(el, event), true)
      }
    }
    return false
  }

  #shortcut(stroke: Stroke): boolean {
    const win = this.#desk.active
    if (!win || (stroke.char !== undefined && !stroke.control && !stroke.alt)) return false
    for (const el of descendants(win)) {
      if (el.attributes.shortcut === undefined || !matches(el.attributes.shortcut, stroke) || !isEnabled(el)) continue
      if (el.kind !== 'menuitem' && !isDisplayed(el)) continue
      press(this.#desk, el)
      return true
    }
    return false
  }

  #window(focus: Element | undefined, { key, alt, shift }: Stroke): void {
    const desk = this.#desk
    const win = desk.active
    if (!win) return
    if (key === 'F4' && alt && isClosable(win)) return closeWindow(desk, win)
    if (key === 'Escape') {
      if (desk.popups.length) return closePopups(desk)
      if (isModal(win) && isClosable(win)) closeWindow(desk, win)
      return
    }
    if (key === 'ContextMenu' || (key === 'F10' && shift)) {
      const el = focus ?? win
      return openContextMenu(desk, el, { x: el.clip.x + Math.min(8, el.clip.w / 2), y: el.clip.y + el.clip.h / 2 })
    }
    if (key === 'F10') {
      const menu = win.children.find((c) => c.kind === 'menubar')?.children.find((m) => isEnabled(m))
      if (!menu) return
      openPopup(desk, menu)
      return setCurrent(
        desk,
        menu.children.find((c) => isEnabled(c)),
      )
    }
    const pane = focus ?? win
    if (key === 'PageDown' || key === 'PageUp')
      scrollBy(desk, pane, 0, (key === 'PageDown' ? 1 : -1) * (closest(pane, (e) => e.extent.h > e.rect.h)?.rect.h ?? 200))
  }
}

function matches(chord: string, stroke: Stroke): boolean {
  const keys = parseChord(chord) ?? []
  const key = keys.at(-1) ?? ''
  return (
    keys.includes('Control') === stroke.control &&
    keys.includes('Alt') === stroke.alt &&
    (keys.includes('Shift') === stroke.shift || (key.length === 1 && key.toLowerCase() === key.toUpperCase())) &&
    key.toLowerCase() === stroke.key.toLowerCase()
  )
}

const SHIFTED: Record<string, string> = Object.fromEntries(
  ['1!', '2@', '3#', '4$', '5%', '6^', '7&', '8*', '9(', '0)', '-_', '=+', '[{', ']}', '\\|', ';:', '\'"', ',<', '.>', '/?', '`~'].map(
    ([a, b]) => [a, b],
  ),
)

/** What a key types on a US keyboard; named keys type nothing. */
function charOf(key: string, shift: boolean): string | undefined {
  if ([...key].length !== 1) return undefined
  const upper = key.toUpperCase()
  return shift ? (SHIFTED[key] ?? ([...upper].length === 1 ? upper : key)) : key
}
