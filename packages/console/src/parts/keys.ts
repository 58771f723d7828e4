import { useEffect, useRef } from 'react'
import { isModalOpen } from './modal.tsx'

/** Two presses of a key within this time are one command. */
const TWICE_MS = 600

/** Single keys that do something, while no field has the focus and no dialog is open. `Escape Escape` works everywhere. */
export function useKeys(keys: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let escaped = -Infinity
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      if (event.key === 'Escape') {
        const isSecond = performance.now() - escaped < TWICE_MS
        escaped = isSecond ? -Infinity : performance.now()
        if (isSecond) current.current['Escape Escape']?.()
        return
      }
      if (isTyping(event.target) || isModalOpen()) return
      const act = current.current[event.key.length === 1 ? event.key.toLowerCase() : event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT', 'CANVAS'].includes(target.tagName))
