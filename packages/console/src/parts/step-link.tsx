import type { MouseEvent, ReactNode } from 'react'
import { addressOf, go } from '../state/route.ts'

interface StepLinkProps {
  desktop: string
  op: string
  /** Opens beside this page, which stays as it is. */
  isBeside?: boolean
  children: ReactNode
}

/** A link to a step of the record. */
export function StepLink({ desktop, op, isBeside = false, children }: StepLinkProps) {
  const follow = (event: MouseEvent): void => {
    if (isBeside || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    go({ view: 'timeline', op })
  }
  return (
    <a href={addressOf({ view: 'timeline', desktop, op })} target={isBeside ? '_blank' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
