import type { DesktopInfo } from '@deskhand/core/model'
import { TEXT } from '../text.ts'

/** What keeps agents from acting. */
type Held = 'stopped' | 'mine' | 'paused'

export function heldBy(info: DesktopInfo | undefined, isMine: boolean): Held | undefined {
  if (info?.stopped === true) return 'stopped'
  if (isMine) return 'mine'
  return info?.paused === true ? 'paused' : undefined
}

/** Why no agent acts now, as wide as the page: it is read from two metres. */
export function StandingBar({ held }: { held: Held }) {
  const { word, says } = TEXT.held[held]
  return (
    <p className={`standing-bar ${held}`}>
      <strong>{word}</strong> <span>{says}</span>
    </p>
  )
}
