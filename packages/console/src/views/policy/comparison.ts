import type { PolicyTrial } from '@deskhand/core/model'
import { useCallback, useRef, useState } from 'react'
import { useConsole } from '../../parts/context.ts'

/** What a draft would have decided differently, as far back as the record was read for it. */
export interface Comparison extends PolicyTrial {
  /** The draft. */
  of: string
}

/** Compares a draft with the newest recorded calls, then page by page with older ones. */
export function useComparison() {
  const { store } = useConsole()
  const [found, setFound] = useState<Comparison>()
  const last = useRef('')
  const compare = useCallback(
    async (of: string) => {
      last.current = of
      const trial = await store.api.tryPolicy(of)
      if (last.current === of) setFound({ of, ...trial })
    },
    [store],
  )
  const goOn = useCallback(
    async ({ of, next }: Comparison) => {
      const older = await store.api.tryPolicy(of, next)
      setFound((known) => (known?.of === of && known.next === next ? { of, ...joined(known, older) } : known))
    },
    [store],
  )
  return { found, compare, goOn }
}

const joined = (newer: PolicyTrial, older: PolicyTrial): PolicyTrial => ({
  ...older,
  since: older.since ?? newer.since,
  calls: [...older.calls, ...newer.calls],
  read: older.read + newer.read,
  hidden: older.hidden + newer.hidden,
})
