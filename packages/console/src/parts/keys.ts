import { useEffect, useRef } from 'react'
import { isModalOpen } from './modal.tsx'

/** Two presses of a key within this time are one command. */
const TWICE_MS = 600

/**
 * Single keys that do something, while no field has the focus and no dialog or menu is open. `Escape Escape` works everywhere but in a picture that is
 * operated, where Escape belongs to the desktop; function keys work there too, and nothing of them is sent.
 */
export function useKeys(keys: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let escaped = -Infinity
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      if (/^F\d+$/.test(event.key)) {
        const act = current.current[event.key]
        if (act === undefined) return
        event.preventDefault()
        event.stopPropagation()
        return act()
      }
      if (event.key === 'Escape') {
        if (event.target instanceof Element && event.target.closest('.vnc-canvas') !== null) return
        const isSecond = performance.now() - escaped < TWICE_MS
        escaped = isSecond ? -Infinity : performance.now()
        if (isSecond) current.current['Escape Escape']?.()
        return
      }
      // Not `target`: out here that is the editor's host, not the text in its shadow root.
      if (isTyping(event.composedPath()[0]) || isModalOpen()) return
      const act = current.current[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    // Before the picture, which takes every key while it is operated.
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [])
}

const isTyping = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT', 'CANVAS'].includes(target.tagName))
