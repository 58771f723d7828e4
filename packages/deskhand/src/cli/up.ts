import { DeskhandError } from '@deskhand/core/errors'
import { DesktopKind } from '@deskhand/core/model'
import { Broker } from '../broker/server.ts'
import { Place } from '../broker/place.ts'
import { nameOf, stateDir } from '../config.ts'
import { openSession } from '../open.ts'
import { configOf, type Common } from './connect.ts'

interface Options {
  desktop?: string
  ui?: string
  sandbox?: string
  policy?: string[]
  preset?: string
  json?: boolean
}

/** Owns a desktop and serves it, until an operator, a signal or the end of the desktop. */
export async function up(common: Common, options: Options): Promise<void> {
  const kind = options.desktop === undefined ? undefined : DesktopKind.safeParse(options.desktop)
  if (kind !== undefined && !kind.success) throw new DeskhandError('BAD_ARGS', `there is no desktop kind ${options.desktop}`, { next: 'Use virtual, sandbox or host.' })
  const config = configOf(common, {
    flags: {
      desktop: { kind: kind?.data, ui: options.ui, sandbox: options.sandbox },
      policy: { files: options.policy, preset: options.preset },
    },
  })
  const place = new Place(stateDir(config), nameOf(config))
  place.prepare()
  const unlock = place.lock()
  let ending: (() => Promise<void>) | undefined
  try {
    const opened = await openSession(config, { place, interactive: true })
    ending = opened.close
    const broker = await Broker.start(opened.session, place)
    ending = async () => {
      await broker.close()
      await opened.close()
    }
    const { info } = opened.session
    const ready = { name: place.name, desktop: info.desktop, driver: info.name, socket: place.socket, journal: place.journal }
    process.stdout.write(options.json ? `${JSON.stringify(ready)}\n` : `${place.name}: ${info.name} ${info.version} is up (${info.desktop})\nagents:  deskhand mcp, deskhand call\nyou:     deskhand approvals list, deskhand stop, deskhand down\n`)
    await Promise.race([broker.ended, opened.died, signalled()])
  } finally {
    await ending?.()
    unlock()
  }
  process.exit(0)
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
  })
}
