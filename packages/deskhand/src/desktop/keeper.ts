import { DeskhandError } from '@deskhand/core/errors'
import { self } from '@deskhand/core/platform'
import { said } from './part.ts'
import { accessibility, startup, vncServer, windowManager } from './parts.ts'
import { findPrograms } from './programs.ts'
import { type PartName, type SandboxRecord, isLeaving, recordVersion, updateRecord } from './record.ts'
import { Starting } from './starting.ts'
import { isVital, look } from './takedown.ts'

const LOOK_MS = 500
const MEND_MS = 5000
/** A part that has to be started more often than this within the time is given up. */
const MOST_RESTARTS = 3
const WITHIN_MS = 60_000

export interface Keeping {
  /** When the desktop is gone for good, and why. */
  died: Promise<DeskhandError>
  stop(): Promise<void>
}

/** Starts what is gone and can be started anew; says what that was. */
export async function mend(
  stateDir: string,
  record: SandboxRecord,
  missing: readonly PartName[] = look(record).missing,
): Promise<PartName[]> {
  const mended = missing.filter((name) => !isVital(name))
  const on = new Starting(stateDir, record, findPrograms({ vnc: record.vnc, isolate: record.isolated, display: record.server }))
  for (const work of new Set(mended.map(restart))) await on.within(MEND_MS, () => work(on))
  return mended
}

/**
 * Supervises a desktop from this process: what can be started anew without losing the applications is, anything else ends the desktop.
 * `restarted` hears of each part. Refused while another broker does it.
 */
export function keep(stateDir: string, record: SandboxRecord, restarted: (part: PartName) => void): Keeping {
  const { keeper } = look(record)
  if (keeper !== undefined && keeper.pid !== process.pid)
    throw new DeskhandError('BROKER_BUSY', `process ${keeper.pid} owns the sandbox ${record.id}`)
  record.keeper = self()
  updateRecord(stateDir, record)
  const restarts = new Map<PartName, number[]>()
  const spent = (name: PartName): boolean =>
    (restarts.get(name) ?? []).filter((t) => performance.now() - t < WITHIN_MS).length >= MOST_RESTARTS
  let mending: Promise<void> | undefined
  let dead: (why: DeskhandError) => void = () => {}
  const died = new Promise<DeskhandError>((resolve) => (dead = resolve))
  const leaving = leavingOf(stateDir, record.id)
  const tick = async (): Promise<void> => {
    if (leaving()) return dead(new DeskhandError('NO_DESKTOP', `the sandbox ${record.id} was taken down`))
    const { missing } = look(record)
    const death =
      deathBy(record, missing) ??
      exhausted(
        record,
        missing.find((name) => isNeeded(name) && spent(name)),
      )
    if (death !== undefined) return dead(death)
    const now = missing.filter((name) => !spent(name))
    for (const name of now) restarts.set(name, [...(restarts.get(name) ?? []), performance.now()])
    // A part that does not come up is missing again at the next look, until it is given up.
    for (const name of now.length === 0 ? [] : await mend(stateDir, record, now).catch(() => [])) restarted(name)
  }
  const timer = setInterval(
    () =>
      void (mending ??= tick()
        .catch(() => {})
        .finally(() => (mending = undefined))),
    LOOK_MS,
  )
  timer.unref()
  return {
    died,
    stop: async () => {
      clearInterval(timer)
      await mending
      delete record.keeper
      updateRecord(stateDir, record)
    },
  }
}

/** Whether a desktop is being taken down, read anew only when its record was written. */
function leavingOf(stateDir: string, id: string): () => boolean {
  let [known, answer] = ['', false]
  return () => {
    const version = recordVersion(stateDir, id)
    if (version !== known) [known, answer] = [version, isLeaving(stateDir, id)]
    return answer
  }
}

/** Why a desktop is dead; undefined while it is not. */
export const deathOf = (record: SandboxRecord): DeskhandError | undefined => deathBy(record, look(record).missing)

function deathBy(record: SandboxRecord, missing: readonly PartName[]): DeskhandError | undefined {
  const lost = missing.find(isVital)
  return lost === undefined ? undefined : death(record, lost, 'ended')
}

const exhausted = (record: SandboxRecord, lost: PartName | undefined): DeskhandError | undefined =>
  lost === undefined ? undefined : death(record, lost, `ended ${MOST_RESTARTS + 1} times within a minute`)

const death = (record: SandboxRecord, part: PartName, how: string): DeskhandError =>
  new DeskhandError('NO_DESKTOP', `the sandbox ${record.id} died: ${part} ${how}${said(record.dir, part)}`)

/** Without these the applications cannot be operated. */
const isNeeded = (name: PartName): boolean => name === 'openbox' || name.startsWith('accessibility')

function restart(name: PartName): (on: Starting) => Promise<void> {
  switch (name) {
    case 'openbox':
      return windowManager
    case 'accessibility':
    case 'accessibility-bus':
      return accessibility
    case 'vnc':
      return vncServer
    case 'xvfb':
    case 'sway':
    case 'bus':
      throw new DeskhandError('INTERNAL', `${name} cannot be started anew`)
    default:
      return (on) => startup(on, Number(name.slice('startup-'.length)))
  }
}
