import type { JournalEntry } from '@deskhand/core/model'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { JournalQuery, RecordCheck } from '../../api/client.ts'
import { useAct, useConsole, useDesktop, wordsOf } from '../../parts/context.ts'
import { folded, Rows, type Row, type Step } from '../../state/steps.ts'

const PAGE = 500
const SEARCH_MS = 250
/** So many entries after the one that is looked at are read with it. */
const AFTER = 600
/** As many rows of the record as the list keeps. */
const MOST = 200_000

/** What a person looks for in the record. */
export type Search = Pick<JournalQuery, 'text' | 'agent' | 'tool' | 'app' | 'verdict' | 'risk' | 'effect'>

const KEYS = ['agent', 'tool', 'app', 'verdict', 'risk', 'effect'] as const

/** `tool:ui.click app:mail invoice`: words with a key look for that alone, the others for text anywhere. */
export function searchOf(words: string): Search {
  const search: Search = {}
  const text: string[] = []
  for (const word of words.trim().split(/\s+/)) {
    const [key = '', ...rest] = word.split(':')
    const known = KEYS.find((one) => one === key)
    if (known !== undefined && rest.length > 0 && rest.join('') !== '') search[known] = rest.join(':')
    else if (word !== '') text.push(word)
  }
  return text.length === 0 ? search : { ...search, text: text.join(' ') }
}

/** How far an entry of the record can be trusted, by the last check of it. */
export type Trusted = 'broken' | 'after' | 'anchored' | 'verified' | 'fresh'

/** `next` is the entry that begins the row after it: what lies between belongs to this row. */
export function trustOf(check: RecordCheck | undefined, seq: number, next = Infinity): Trusted {
  if (check === undefined || (check.ok && seq > check.entries)) return 'fresh'
  const broken = check.problems[0]?.seq ?? Infinity
  if (broken >= seq && broken < next) return 'broken'
  if (broken < seq) return 'after'
  return seq <= check.anchoredTo ? 'anchored' : 'verified'
}

export interface Found {
  rows: readonly Row[]
  /** Asks for older rows; absent where there are none. */
  older: (() => void) | undefined
  isReading: boolean
  /** Why it could not be read. */
  problem: string
}

/**
 * The rows of the record that match, searched on the server a page at a time; without a search, those that come in are added. `around` is an
 * entry: those after it are left out, but for the next ones.
 */
export function useRecord(search: Search, around?: number): Found {
  const { store } = useConsole()
  const { rows: live, link } = useDesktop()
  const isOffline = link === 'offline'
  const act = useAct()
  const [past, setPast] = useState<readonly Row[]>([])
  const [next, setNext] = useState<number>()
  const [isReading, setReading] = useState(true)
  const [problem, setProblem] = useState('')
  const isAsking = useRef(false)
  const key = JSON.stringify(search)
  const isAll = key === '{}'
  const from = isAll && around !== undefined ? around + AFTER : undefined

  const read = useCallback(
    async (before?: number): Promise<{ found: readonly JournalEntry[]; next?: number }> => {
      const found = await store.api.journal({
        ...(JSON.parse(key) as Search),
        calls: true,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      })
      const begun = found.filter((entry) => !('op' in entry) || entry.type === 'decided')
      const oldest = found.at(-1)?.seq
      return { found, ...(begun.length < PAGE || oldest === undefined ? {} : { next: oldest }) }
    },
    [key, store],
  )
  useEffect(() => {
    let isOld = false
    setReading(true)
    if (isOffline) return
    const begin = async (): Promise<void> => {
      try {
        const page = await read(from)
        if (isOld) return
        setPast(Rows.of(page.found, MOST).list)
        setNext(page.next)
        setProblem('')
      } catch (thrown) {
        if (!isOld) setProblem(wordsOf(thrown))
      } finally {
        if (!isOld) setReading(false)
      }
    }
    const timer = setTimeout(() => void begin(), isAll ? 0 : SEARCH_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [from, isAll, isOffline, read])

  const older = useCallback(() => {
    if (isAsking.current || next === undefined) return
    isAsking.current = true
    act(async () => {
      try {
        const page = await read(next)
        setNext(page.next)
        setPast((known) => joined(known, Rows.of(page.found, MOST).list).slice(0, MOST))
      } finally {
        isAsking.current = false
      }
    })
  }, [act, next, read])

  const isLive = isAll && from === undefined
  const rows = useMemo(() => folded(isLive ? joined(live.list, past) : past), [past, live, isLive])
  return { rows, older: next === undefined ? undefined : older, isReading, problem }
}

/**
 * The call of the address: of the rows where they have it, otherwise read by its id. `null` says that the record has no such call; undefined
 * that none is asked for, or that it is not known yet.
 */
export function useStep(op: string | undefined, listed: Step | undefined, isReading: boolean): Step | null | undefined {
  const { store } = useConsole()
  const [found, setFound] = useState<{ op: string; step: Step | null }>()
  const isWanted = op !== undefined && listed === undefined && !isReading && found?.op !== op
  const act = useAct()
  useEffect(() => {
    if (!isWanted) return
    act(async () => {
      const step = Rows.of(await store.api.callOf(op)).list.find((row) => row.row === 'step')
      setFound({ op, step: step ?? null })
    })
  }, [act, isWanted, op, store])
  if (op === undefined) return undefined
  return listed ?? (found?.op === op ? found.step : undefined)
}

/** Newer rows, and of the older ones those that are not among them. Each page has whole calls, so that a row is complete in the first page that has it. */
function joined(newer: readonly Row[], older: readonly Row[]): readonly Row[] {
  const oldest = newer.at(-1)?.seq ?? Infinity
  const from = older.findIndex((row) => row.seq < oldest)
  return from < 0 ? newer : newer.concat(older.slice(from))
}
