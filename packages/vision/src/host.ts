import { DeskhandError } from '@deskhand/core/errors'
import type { Effort } from './effort.ts'
import { Reader } from './ocr/reader.ts'
import { similar } from './image/search.ts'
import { structureOf } from './structure/structure.ts'
import type { Ask, JobName, Jobs, Reply } from './jobs.ts'

type Work = { [K in JobName]: (ask: Jobs[K]['ask'], effort: Effort) => Promise<Jobs[K]['answer']> }

const readers: Record<string, Reader> = {}

const readerOf = (languages: readonly string[]): Reader => (readers[languages.join()] ??= new Reader(languages))

/** The process in which pixels are searched and read: whatever it takes, and whatever a native library does, the session goes on. */
const WORK: Work = {
  read: ({ picture, languages, again }, effort) => readerOf(languages).read(picture, { again, effort }),
  structure: ({ picture, languages }, effort) => structureOf(picture, (part, also) => readerOf(languages).read(part, { also, effort })),
  similar: async ({ hay, needle, options }) => similar(hay, needle, options),
}

const reply = (message: Reply): void => void process.send?.(message)

process.on('message', (message: Ask) => {
  const { id, job, ask, effort } = message
  const work = WORK[job] as (given: typeof ask, effort: Effort) => Promise<unknown>
  work(ask, effort).then(
    (answer) => reply({ id, answer }),
    (thrown: unknown) => reply({ id, error: DeskhandError.from(thrown).toJSON() }),
  )
})
process.on('disconnect', () => process.exit(0))
