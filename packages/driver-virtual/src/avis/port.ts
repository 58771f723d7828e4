import type { ActionKind, Rect, Result } from '@deskhand/core/model'
import type { VirtualInputElementDescription } from '../model/ui-file.ts'

/** The governed session that AVIS works through. AVIS itself touches nothing. */
export interface AvisPort {
  perform(kind: ActionKind, args: Record<string, unknown>): Promise<Result>
}

/** What AVIS looks up on the simulated desktop, beside what the session lets it see. */
export interface AvisDesktop {
  describe(): VirtualInputElementDescription[]
  load(ui: unknown): void
  /** Writes into a display that AVIS itself keeps. */
  set(elementId: string, value: unknown): boolean
  state(): {
    cursor: { x: number; y: number }
    focused: string | undefined
    hovered: string | undefined
    screen: { width: number; height: number }
    nowMs: number
  }
  /** Where an element and its window lie, while they can be seen; without an id the active window. */
  boundsOf(elementId?: string): { element: Rect; window: Rect } | undefined
}
