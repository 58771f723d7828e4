import type RFB from '@novnc/novnc'

const UNICODE = 0x01000000
const ENTER = 0xff0d

/** Browsers compose text and paste it in fields alone: this one has the focus while the picture is operated. It types what is composed, and hands every key on. */
export class TextField {
  readonly #field = document.createElement('textarea')
  readonly #canvas: HTMLCanvasElement
  readonly #rfb: RFB
  /** Ctrl+V waits for the text that the browser pastes. */
  #pasting: KeyboardEvent | undefined

  constructor(canvas: HTMLCanvasElement, rfb: RFB) {
    this.#canvas = canvas
    this.#rfb = rfb
    const field = this.#field
    field.setAttribute('aria-label', 'Keys for the desktop')
    field.autocapitalize = 'off'
    field.spellcheck = false
    field.tabIndex = -1
    field.style.cssText =
      'position: absolute; inset: 0 auto auto 0; width: 1px; height: 1px; padding: 0; border: 0; opacity: 0; resize: none'
    field.addEventListener('keydown', (event) => this.#down(event))
    field.addEventListener('keyup', (event) => this.#up(event))
    field.addEventListener('input', (event) => !(event as InputEvent).isComposing && this.#type())
    field.addEventListener('compositionend', () => this.#type())
    field.addEventListener('paste', (event) => this.#paste(event))
    canvas.addEventListener('focus', this.#take)
    canvas.after(field)
  }

  remove(): void {
    this.#canvas.removeEventListener('focus', this.#take)
    this.#field.remove()
  }

  blur(): void {
    this.#field.blur()
  }

  readonly #take = (): void => {
    if (!this.#rfb.viewOnly) this.#field.focus({ preventScroll: true })
  }

  #down(event: KeyboardEvent): void {
    if (isComposed(event)) return
    if (event.code === 'KeyV' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) this.#pasting = event
    else this.#hand(event)
  }

  #up(event: KeyboardEvent): void {
    if (isComposed(event)) return
    this.#pasted()
    this.#hand(event)
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault()
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text !== '') this.#rfb.clipboardPasteFrom(text)
    this.#pasted()
  }

  #pasted(): void {
    const event = this.#pasting
    this.#pasting = undefined
    if (event !== undefined) this.#hand(event)
  }

  /** Keys are noVNC's, which listens to its canvas. */
  #hand(event: KeyboardEvent): void {
    event.preventDefault()
    event.stopPropagation()
    const locks = { modifierNumLock: event.getModifierState('NumLock'), modifierCapsLock: event.getModifierState('CapsLock') }
    const { key, code, location, repeat, ctrlKey, shiftKey, altKey, metaKey } = event
    const again = { key, code, location, repeat, ctrlKey, shiftKey, altKey, metaKey, ...locks, cancelable: true }
    this.#canvas.dispatchEvent(new KeyboardEvent(event.type, again))
  }

  #type(): void {
    const text = this.#field.value
    this.#field.value = ''
    for (const letter of text) this.#rfb.sendKey(keysymOf(letter), null)
  }
}

/** Such a key is the input method's, or begins a character that the browser composes. */
const isComposed = ({ isComposing, key }: KeyboardEvent): boolean =>
  isComposing || key === 'Process' || key === 'Dead' || key === 'Unidentified'

function keysymOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0
  if (letter === '\n') return ENTER
  return code < 0x100 ? code : UNICODE + code
}
