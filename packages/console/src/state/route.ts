import { useSyncExternalStore } from 'react'
import { TEXT } from '../text.ts'

export type ViewName = keyof typeof TEXT.views

/** What the address says: a view, and what is looked at in it. */
export interface Route {
  view: ViewName
  desktop?: string
  /** A call of the timeline. */
  op?: string
}

const NEWS = 'deskhand:route'

export function useRoute(): Route {
  const address = useSyncExternalStore(subscribe, () => `${location.pathname}${location.search}`)
  return parse(address)
}

export function go(route: Partial<Route>): void {
  const now = parse(`${location.pathname}${location.search}`)
  history.pushState(null, '', addressOf({ ...now, op: undefined, ...route }))
  dispatchEvent(new Event(NEWS))
}

export function addressOf({ view, desktop, op }: { [K in keyof Route]: Route[K] | undefined }): string {
  const params = new URLSearchParams()
  if (desktop !== undefined) params.set('desktop', desktop)
  if (op !== undefined) params.set('op', op)
  return `/${view === 'desktop' || view === undefined ? '' : view}${params.size === 0 ? '' : `?${params}`}`
}

function parse(address: string): Route {
  const { pathname, searchParams } = new URL(address, 'http://console')
  const name = pathname.slice(1)
  const view: ViewName = name in TEXT.views ? (name as ViewName) : 'desktop'
  const [desktop, op] = [searchParams.get('desktop'), searchParams.get('op')]
  return { view, ...(desktop === null ? {} : { desktop }), ...(op === null ? {} : { op }) }
}

function subscribe(changed: () => void): () => void {
  for (const name of ['popstate', NEWS]) addEventListener(name, changed)
  return () => {
    for (const name of ['popstate', NEWS]) removeEventListener(name, changed)
  }
}
