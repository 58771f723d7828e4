import type { Guard, Sent } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { parseChord, type KeyEvent } from '../model/index.ts'
import { endOfKeys, endOfText } from './following.ts'
import { focus } from './pointer.ts'
import { can, incapable, need, type Stage } from './stage.ts'

export async function type(on: Stage, mode: 'insert' | 'replace' | 'append', targeted: boolean): Promise<Sent> {
  const text = on.text ?? ''
  const key = on.targets[0]?.facts.key
  if (targeted) {
    if (on.fresh[0]?.states?.editable === false) throw new DeskhandError('NOT_ACTIONABLE', 'this element cannot be edited')
    if (key !== undefined && can(on, 'step:setText')) {
      const set = await on.hands.step({ do: 'setText', key, text, mode }, {}, on.signal).catch(incapable)
      if (set !== undefined) return set
    }
    const focused = await focus(on)
    if (focused.sent !== 'all') return focused
  }
  need(on, 'step:text')
  const guard: Guard = { focus: key }
  if (mode !== 'insert') {
    const select = mode === 'replace' ? 'ctrl+a' : 'ctrl+End'
    const prepared = await on.hands.step({ do: 'keys', events: chordEvents(select) }, guard, on.signal)
    if (prepared.sent !== 'all') return prepared
    if (text === '' && mode === 'replace') return on.hands.step({ do: 'keys', events: chordEvents('Delete') }, guard, on.signal)
  }
  const chars = [...text]
  return inTurn(
    on,
    chars.length,
    (from) => endOfText(chars, from, on.targets[0]),
    (from, to) => on.hands.step({ do: 'text', text: chars.slice(from, to).join('') }, { focus: on.targets[0]?.facts.key }, on.signal),
  )
}

/** Sends in pieces, between which the focus may move; each piece goes to what was judged for it. */
async function inTurn(
  on: Stage,
  length: number,
  endOf: (from: number) => number,
  send: (from: number, to: number) => Promise<Sent>,
): Promise<Sent> {
  let end = endOf(0)
  let sent = await send(0, end)
  while (sent.sent === 'all' && end < length) {
    on.targets = await on.follow()
    const from = end
    end = endOf(from)
    const next = await send(from, end)
    sent = { ...next, units: sent.units + next.units, sent: next.sent === 'none' ? 'partial' : next.sent }
  }
  return sent
}

export async function keys(on: Stage, events: KeyEvent[], targeted: boolean): Promise<Sent> {
  need(on, 'step:keys')
  if (targeted) {
    const focused = await focus(on)
    if (focused.sent !== 'all') return focused
  }
  const guard = (first: boolean): Guard => {
    const target = on.targets[0]
    return target?.facts.key === undefined
      ? {}
      : { window: target.facts.window?.key, focus: first && targeted ? target.facts.key : undefined }
  }
  return inTurn(
    on,
    events.length,
    (from) => endOfKeys(events, from, on.targets[0]),
    (from, to) => on.hands.step({ do: 'keys', events: events.slice(from, to) }, guard(from === 0), on.signal),
  )
}

/** The events of one chord, or of several in order: pressed left to right, released right to left. */
export function chordEvents(chords: string | readonly string[], holdMs = 0): KeyEvent[] {
  return (typeof chords === 'string' ? [chords] : chords).flatMap((chord): KeyEvent[] => {
    const parts = parseChord(chord)
    if (parts === undefined) {
      throw new DeskhandError('BAD_ARGS', `keys: ${JSON.stringify(chord)} has a key that does not exist`, {
        next: 'Use names such as "ctrl+s", "Enter", "ArrowDown" or "F5".',
      })
    }
    const hold: KeyEvent[] = holdMs > 0 ? [{ type: 'pause', ms: holdMs }] : []
    return [
      ...parts.map((key): KeyEvent => ({ type: 'down', key })),
      ...hold,
      ...parts.toReversed().map((key): KeyEvent => ({ type: 'up', key })),
    ]
  })
}
