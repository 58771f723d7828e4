import type { AppIdentity, Rect } from '../../model/index.ts'

/**
 * Why an area is black. `hidden`: the viewer may not know of it. `covered`: a window of another application lies over it. The others may hold a password field that nothing tells of: `unread` is
 * still being read, `hung` does not answer, `treeless` never tells what it shows.
 */
export type Why = 'password' | 'private' | 'hidden' | 'covered' | 'unread' | 'hung' | 'treeless'

export interface HiddenArea {
  rect: Rect
  why: Why
  /** Whose window it is. */
  app?: AppIdentity
}
