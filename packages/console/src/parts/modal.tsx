import { useEffect, useRef, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { TEXT } from '../text.ts'

interface ModalProps {
  title: string
  /** What is told beside the title, such as the time that is left. */
  aside?: ReactNode
  children: ReactNode
  onClose(): void
}

/**
 * A dialog over the view: it has the focus, Escape closes it, and single keys of the page do nothing meanwhile. The bar above stays in reach, as
 * agents are stopped there. It is the browser's own: the one of Radix writes a style element, which the page's content policy forbids.
 */
export function Modal({ title, aside, children, onClose }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const made = dialog.current
    const view = document.querySelector<HTMLElement>('.body')
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close.current()
    }
    made?.show()
    if (view !== null) view.inert = true
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      if (view !== null) view.inert = false
      made?.close()
    }
  }, [])
  return createPortal(
    <div className="scrim">
      <dialog ref={dialog} className="dialog" aria-label={title}>
        <div className="rows">
          <div className="dialog-head">
            <h2>{title}</h2>
            {aside}
          </div>
          {children}
          <small>{TEXT.escape}</small>
        </div>
      </dialog>
    </div>,
    document.querySelector('.shell') ?? document.body,
  )
}

/** Whether one is open, or a menu, which has keys of its own. */
export const isModalOpen = (): boolean => document.querySelector('dialog[open], [role="menu"]') !== null
