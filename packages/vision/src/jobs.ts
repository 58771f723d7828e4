import type { DeskhandError } from '@deskhand/core/errors'
import type { Part } from '@deskhand/core/session'
import type { Effort } from './effort.ts'
import type { Hit, SearchOptions } from './image/search.ts'
import type { Picture } from './image/picture.ts'
import type { Line } from './ocr/text.ts'

/** What the process for recognition can be asked, and what it answers. */
export interface Jobs {
  /** `again`: by the other engine, too. */
  read: { ask: { picture: Picture; languages: readonly string[]; again: boolean }; answer: Line[] }
  /** Controls and text, placed in pixels of the picture. */
  structure: { ask: { picture: Picture; languages: readonly string[] }; answer: Part[] }
  similar: { ask: { hay: Picture; needle: Picture; options: SearchOptions }; answer: Hit[] }
}
export type JobName = keyof Jobs

/** A job on its way to the process. */
export type Ask = { [K in JobName]: { id: number; job: K; ask: Jobs[K]['ask']; effort: Effort } }[JobName]
/** What comes back; an error as DeskhandError writes it. */
export type Reply = { id: number } & ({ answer: unknown } | { error: ReturnType<DeskhandError['toJSON']> })
