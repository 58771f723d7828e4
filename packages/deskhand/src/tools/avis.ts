import { createHash } from 'node:crypto'
import { AVIS_COMMANDS, AVISActionLogEntry } from '@deskhand/driver-virtual'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, walk, type Principal, type Result } from '@deskhand/core/model'
import { type Session } from '@deskhand/core/session'
import { refusal } from '../sdk/desk.ts'
import type { ComposedTool, Perform, Tool } from './tool.ts'

/** The commands of the simulated desktop, by element ids. They come with a simulated desktop only. */
export const avisTools: readonly Tool[] = Object.entries(AVIS_COMMANDS).map(([command, { description, parameters }]): ComposedTool => ({
  name: `avis.${command}`,
  toolset: 'avis',
  description,
  input: parameters,
  readOnly: command.startsWith('get_'),
  compose: async (act, args, { avis, session }, who) => {
    if (avis === undefined)
      throw new DeskhandError('NOT_CAPABLE', 'avis.* works on a simulated desktop only', { next: 'Use the ui.* tools here.' })
    const last: { result?: Result } = {}
    const watched: Perform = async (kind, more) => (last.result = await act(kind, more))
    // What touches no element is decided and recorded all the same.
    const allowed = await (command === 'load_virtual_ui' ? watched('simulate', { contentHash: hashOf(args) }) : watched('capabilities', {}))
    if (allowed.error !== undefined) return allowed
    try {
      const data = await avis.run(watched, command, args ?? {}, who)
      return {
        ...ending({ ...(last.result ?? allowed), ...failureIn(data) }),
        text: undefined,
        data: presentable(data, session, who, last.result),
      }
    } catch (thrown) {
      return { ...allowed, ...refusal(DeskhandError.from(thrown)), text: undefined, data: undefined }
    }
  },
}))

/** The record names what was loaded without holding all of it. */
const hashOf = (args: unknown): string => `sha256:${createHash('sha256').update(JSON.stringify(args)).digest('hex')}`

/** What leaves is without what is hidden, without secrets, and masked where a rule says so, as from any other tool. */
function presentable(data: unknown, session: Session, who: Principal, last: Result | undefined): unknown {
  const clean = session.redactor.value(withoutHidden(data, visibleIds(session, who)))
  return last?.decision?.obligations.redact ? session.privateText.value(clean) : clean
}

/** A command that came to nothing before any action was tried is a failed call, too. */
function failureIn(data: unknown): Partial<Result> {
  const entry = AVISActionLogEntry.safeParse(data)
  if (!entry.success || entry.data.error_code !== 'NOT_FOUND' || entry.data.op !== null) return {}
  return { status: 'error', effect: 'refused', error: new DeskhandError('NOT_FOUND', entry.data.outcome_message).toJSON() }
}

/** The elements that the caller may know of, by their ids on the simulated desktop. */
function visibleIds(session: Session, who: Principal): ReadonlySet<string> {
  return new Set([...walk(session.see(who).roots)].flatMap((n) => n.platformIds?.virtualId ?? []))
}

/** An answer says where focus and pointer are; of what the caller may not know of, it says that they are nowhere. */
function withoutHidden(data: unknown, seen: ReadonlySet<string>): unknown {
  if (Array.isArray(data)) return data.map((item) => withoutHidden(item, seen))
  if (typeof data !== 'object' || data === null) return data
  const hide = (name: string, value: unknown): boolean => WHERE.has(name) && typeof value === 'string' && !seen.has(value)
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, hide(name, value) ? null : value]))
}

const WHERE: ReadonlySet<string> = new Set(['virtual_focused_element_id', 'virtual_hovered_element_id'])
