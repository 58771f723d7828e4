import type { JournalOptions } from '@deskhand/core/journal'
import type { Config } from '../config.ts'

/** What the configuration says about keeping a journal. */
export function journalOptions({
  desktop,
  journal,
  evidence,
}: Config): Required<Pick<JournalOptions, 'durability'>> & Partial<JournalOptions> {
  const retention = {
    days: journal.keepDays,
    megabytes: journal.keepMegabytes,
    evidenceDays: evidence.keepDays,
    evidenceMegabytes: evidence.keepMegabytes,
  }
  return {
    durability: journal.durability ?? (desktop.kind === 'virtual' ? 'none' : 'real'),
    external: journal.anchor,
    retention: Object.values(retention).every((limit) => limit === undefined) ? undefined : retention,
  }
}
