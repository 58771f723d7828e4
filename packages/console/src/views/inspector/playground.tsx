import type { Rect } from '@deskhand/core/model'
import { useEffect, useState } from 'react'
import { useConsole, wordsOf } from '../../parts/context.ts'
import { Chip } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'
import { Verdict } from './verdict.tsx'

const TRY_MS = 300
const MOST = 100
const SHOWN = 12

interface Match {
  elementId?: string
  role: string
  name?: string
  bounds?: Rect
  confidence: number
  why: readonly string[]
}

export interface Tried {
  /** The selector that these are the matches of. */
  of: string
  matches: readonly Match[]
  /** Why there is none: what comes close, or what is wrong with the selector. */
  whyNot: string
}

const NOTHING: Tried = { of: '', matches: [], whyNot: '' }

/** What a selector finds: how sure each match is and why, why there is none, and what the policy would say to a click on the one. */
export function Playground({ selector, tried }: { selector: string; tried: Tried }) {
  const { api } = useConsole()
  const { matches, whyNot } = tried
  if (tried.of !== selector)
    return (
      <p className="loading" aria-busy="true">
        {TEXT.loading}
      </p>
    )
  return (
    <div className="rows" role="status">
      {matches.length > 0 || whyNot === '' ? (
        <Chip look={matches.length === 1 ? 'ok' : 'warn'}>{TEXT.inspector.matches(matches.length)}</Chip>
      ) : (
        <p className="why-not">{whyNot}</p>
      )}
      {matches.slice(0, SHOWN).map((match, i) => (
        <p key={i} className="match">
          {matches.length > 1 && <Chip look="plain">{i + 1}</Chip>}{' '}
          <strong>
            {match.role} {match.name !== undefined && `“${match.name}”`}
          </strong>{' '}
          <span>{Math.round(match.confidence * 100)}%</span>
          <small className="block">{match.why.join('; ')}</small>
        </p>
      ))}
      {matches.length > SHOWN && <small>{TEXT.inspector.more(matches.length - SHOWN)}</small>}
      {matches.length === 1 && api.mayOperate && <Verdict selector={selector} />}
    </div>
  )
}

/** What a selector finds, a moment after it was typed. */
export function useTried(selector: string): Tried {
  const { store } = useConsole()
  const [tried, setTried] = useState<Tried>(NOTHING)
  useEffect(() => {
    if (selector === '') return setTried(NOTHING)
    let isOld = false
    const timer = setTimeout(() => {
      void store.api.call('ui.query', { selector, limit: MOST, timeoutMs: 0 }).then(
        ({ data, text = '' }) => {
          const { matches = [] } = data as { matches?: readonly Match[] }
          if (!isOld) setTried({ of: selector, matches, whyNot: matches.length === 0 ? text : '' })
        },
        (thrown: unknown) => isOld || setTried({ of: selector, matches: [], whyNot: wordsOf(thrown) }),
      )
    }, TRY_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [selector, store])
  return tried
}
