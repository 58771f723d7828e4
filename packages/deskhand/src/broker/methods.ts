import type { Link } from '@deskhand/core/driver'
import type { DesktopEvent, Handlers, Trust } from '@deskhand/core/model'
import { operatorMethods, type OperatorContext } from '../operator/methods.ts'
import { Holds } from '../sdk/holds.ts'
import { dispatch } from '../tools/dispatch.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { WatchedTerminals } from './watched-terminals.ts'

/** The methods of a desktop that do not hang on a connection: the session's, and those that need the list of tools or the configuration. */
export function brokerApi(on: OperatorContext, trust: () => Trust, shutdown: () => void) {
  return on.session.api.with(operatorMethods(on)).with<'info' | 'shutdown'>({
    info: () => ({ ...on.session.state, trust: trust() }),
    shutdown: async (_, { who }) => {
      try {
        await on.session.noted('down', who, {})
      } finally {
        // A record that cannot be written keeps no operator from ending the desktop.
        shutdown()
      }
      return null
    },
  })
}

/** Who holds the controls keeps all others from them: a model may think for a while with a button down, and no longer. */
const HOLD = { idleMs: 60_000, mostMs: 300_000 }
/** The few events of a quick call travel in one go, behind its answer. */
const GATHER_MS = 4

type ConnectionMethod = 'call' | 'hold' | 'release' | 'approvals.watch' | 'events.subscribe'

/** Those that send messages of their own over the connection, or end with it. */
export function connectionMethods(on: ToolContext, link: Link, terminals: WatchedTerminals): Handlers<ConnectionMethod> {
  const holds = new Holds(on.session, HOLD)
  return {
    call: ({ tool, args, progress, hold, ...options }, { who, signal }) => {
      const onProgress =
        progress === undefined ? undefined : (note: unknown) => void link.notify('progress', { progress, note }).catch(() => {})
      return holds.during(hold, who, (lease) => dispatch(on, who, tool, args, { ...options, signal, onProgress, lease }))
    },
    hold: () => holds.take(endOf(link)),
    release: async ({ hold }) => {
      await holds.end(hold)
      return null
    },
    'approvals.watch': async ({ pids }, { who }) => {
      await on.session.noted('watch', who, { pids })
      terminals.protect(pids, link.closed)
      return null
    },
    'events.subscribe': ({ name, after }) => {
      void send(link, name, on.session.events.subscribe(after, endOf(link), GATHER_MS))
      return null
    },
  }
}

/** Each event waits until the connection took the one before: a slow listener misses events, and is told so. */
async function send(link: Link, name: string, events: AsyncIterable<DesktopEvent>): Promise<void> {
  try {
    for await (const event of events) await link.notify('event', { name, event })
  } catch {
    // The connection has ended.
  }
}

function endOf(link: Link): AbortSignal {
  const end = new AbortController()
  void link.closed.then(() => end.abort())
  return end.signal
}
