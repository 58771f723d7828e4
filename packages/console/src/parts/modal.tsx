import { useEffect, useRef, type ReactNode } from 'react'

/**
 * A dialog over the page: it has the focus, Escape closes it, and single keys of the page do nothing meanwhile. It is the browser's own: the
 * one of Radix writes a style element, which the page's content policy forbids.
 */
export function Modal({ title, children, onClose }: { title: string; children: ReactNode; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const made = dialog.current
    made?.showModal()
    return () => made?.close()
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-label={title} onClose={onClose}>
      <div className="rows">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

/** Whether one is open, or a menu, which has keys of its own. */
export const isModalOpen = (): boolean => document.querySelector('dialog[open], [role="menu"]') !== null
