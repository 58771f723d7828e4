import type { DesktopInfo } from '@deskhand/core/model'
import { Hand, Info, Pause, Play, Square } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useAct, useConsole, useDesktop } from './context.ts'
import { useKeys } from './keys.ts'
import { Button, Chip, Hint } from './parts.tsx'
import { heldBy, StandingBar } from './standing.tsx'
import { TimeLeft } from './time-left.tsx'
import { useElsewhere } from '../state/elsewhere.ts'
import { callPerson } from '../state/attention.ts'
import type { Question } from '../state/desktop-store.ts'
import { go, useRoute } from '../state/route.ts'
import { wanted } from '../state/sentences.ts'
import { TEXT } from '../text.ts'

/** Which desktop, how it stands, who has the controls; and what stops it, always within reach. */
export function Header() {
  const { api, desktops, store } = useConsole()
  const { info, link, offlineSince, refusal, questions, isMine } = useDesktop()
  const act = useAct()
  const isHeld = info?.stopped === true || info?.paused === true
  const { view } = useRoute()
  const open = questions.filter((q) => q.state === 'open')
  const elsewhere = view === 'desktop' ? undefined : open[0]
  const others = useElsewhere()
  const waiting = open.length + others.reduce((sum, { count }) => sum + count, 0)
  const may = api.mayOperate && link === 'live'
  // Agents can be held also where the server answers, but not with the record.
  const isThere = link === 'live' || refusal !== undefined
  const mayHold = api.mayOperate && isThere
  const held = isThere ? heldBy(info, isMine) : undefined

  const control = (what: 'stop' | 'pause' | 'resume') => (mayHold ? () => act(() => store.api.control(what)) : undefined)
  const hands = may ? () => act(() => (isMine ? store.handBack() : store.takeOver())) : undefined
  useKeys({ 'Escape Escape': control('stop'), p: control(isHeld ? 'resume' : 'pause'), t: hands, F8: isMine ? hands : undefined })
  useCalls(open)
  const [first] = others
  useEffect(() => {
    if (first !== undefined) callPerson(TEXT.attention.title, TEXT.elsewhere(first.count, first.name))
  }, [first?.name, first?.count])
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${store.api.name} · ${TEXT.product}`
  }, [waiting, store])

  return (
    <>
      <header className="top">
        <span className="brand">
          <img src="/icon.svg" alt="" /> <span>{TEXT.product}</span>
        </span>
        <label className="pick">
          <span className="visually-hidden">{TEXT.desktop}</span>
          <select className="select" value={store.api.name} onChange={(e) => go({ desktop: e.target.value })}>
            {desktops.map((d) => (
              <option key={d.name} value={d.name}>
                {d.name === d.kind ? d.name : `${d.name} (${d.kind})`}
                {others.filter(({ name }) => name === d.name).map(({ count }) => ` · ${TEXT.questions(count)}`)}
              </option>
            ))}
          </select>
        </label>
        {info !== undefined && (
          <div className="standing">
            <Hands isMine={isMine} info={info} />
            <ModeChip info={info} />
            {info.trust !== undefined && (
              <Hint text={`${TEXT.trustHint[info.trust.level]} ${info.trust.why}`}>
                <span className={`chip ${info.trust.level === 'enforced' ? 'ok' : 'plain'}`} tabIndex={0}>
                  {TEXT.trust[info.trust.level]}
                  <Info size={13} aria-hidden="true" />
                </span>
              </Hint>
            )}
          </div>
        )}
        <div className="controls">
          <Button
            onClick={hands}
            disabled={hands === undefined}
            hint={isMine ? 'F8' : 'T'}
            look={isMine ? 'primary' : undefined}
            aria-pressed={isMine}
          >
            <Hand size={16} aria-hidden="true" />
            {isMine ? TEXT.controls.handBack : TEXT.controls.takeOver}
          </Button>
          {/* While a person drives, P and Esc are typed into the desktop. */}
          <Button
            onClick={control(isHeld ? 'resume' : 'pause')}
            disabled={!mayHold}
            hint={isMine ? undefined : 'P'}
            look={isHeld ? 'primary' : undefined}
          >
            {isHeld ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
            {isHeld ? TEXT.controls.resume : TEXT.controls.pause}
          </Button>
          <Button
            onClick={control('stop')}
            disabled={!mayHold || info?.stopped === true}
            hint={isMine ? undefined : 'Esc Esc'}
            look="danger"
          >
            <Square size={14} aria-hidden="true" />
            {TEXT.controls.stop}
          </Button>
        </div>
      </header>
      <div role="status">
        {link === 'offline' && offlineSince !== undefined && (
          <p className="banner bad">
            {refusal === undefined
              ? `${TEXT.offline} ${TEXT.offlineSince(Math.round((Date.now() - offlineSince) / 1_000))}`
              : TEXT.refused(refusal)}
          </p>
        )}
        {held !== undefined && <StandingBar held={held} />}
        {others.map(({ name, count }) => (
          <p key={name} className="banner warn">
            <span>{TEXT.elsewhere(count, name)}</span>
            <Button onClick={() => go({ view: 'desktop', desktop: name })}>{TEXT.review}</Button>
          </p>
        ))}
        {link === 'live' && (elsewhere !== undefined || !api.mayOperate) && (
          <p className={`banner ${api.mayOperate ? 'warn' : 'info'}`}>
            {!api.mayOperate && <span>{TEXT.viewerOnly}</span>}
            {elsewhere !== undefined && (
              <>
                <span title={wanted(elsewhere.approval)}>
                  {(api.mayOperate ? TEXT.waits : TEXT.waitsForOther)(wanted(elsewhere.approval))}
                </span>
                <Button onClick={() => go({ view: 'desktop' })}>{TEXT.review}</Button>
              </>
            )}
          </p>
        )}
      </div>
    </>
  )
}

/** The mode, and where input is restricted, how long the longest permission still holds. */
function ModeChip({ info: { mode, inputGrants = [] } }: { info: DesktopInfo }) {
  const until = Math.max(0, ...inputGrants.map((grant) => grant.until))
  return (
    <Chip look={mode === 'simulation_only' ? 'plain' : ''}>
      {TEXT.modes[mode] ?? mode}
      {until > 0 && (
        <span title={TEXT.mode.left}>
          {' '}
          <TimeLeft until={new Date(until).toISOString()} />
        </span>
      )}
    </Chip>
  )
}

/** Who acts on the desktop now, the first thing to see from a distance. */
function Hands({ isMine, info }: { isMine: boolean; info: DesktopInfo }) {
  const [look, words] = ((): ['' | 'warn' | 'bad', string] => {
    if (isMine) return ['warn', TEXT.who.you]
    if (info.human.since !== undefined) return ['warn', TEXT.who.person]
    if (info.stopped) return ['bad', TEXT.who.stopped]
    return info.paused ? ['warn', TEXT.who.paused] : ['', TEXT.who.agent]
  })()
  return <span className={`chip hands ${look}`}>{words}</span>
}

/** Calls the person once for every question that comes while the page is open. */
function useCalls(open: readonly Question[]): void {
  const known = useRef<Set<string>>(undefined)
  const ids = open.map(({ approval }) => approval.id).join(' ')
  useEffect(() => {
    const fresh = open.find(({ approval }) => known.current?.has(approval.id) === false)
    if (fresh !== undefined) callPerson(TEXT.attention.title, TEXT.waits(wanted(fresh.approval)))
    known.current = new Set([...(known.current ?? []), ...open.map(({ approval }) => approval.id)])
  }, [ids])
}
