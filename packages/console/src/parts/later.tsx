import { lazy, type ComponentType } from 'react'
import { useUnread } from './context.ts'

const RETRY_MS = 1_500

/** A part of the page that is loaded when it is first shown. While the server does not answer it is asked for again: a part that failed would take the whole page with it. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>) {
  const attempt = async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await load() }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      return attempt()
    }
  }
  return lazy(attempt)
}

/** What stands in its place until then. */
export function Coming() {
  return (
    <p className="loading" aria-busy="true">
      {useUnread()}
    </p>
  )
}
