import { DeskhandError } from '@deskhand/core/errors'
import { Bus } from '../dbus/index.ts'
import type { Env } from '../display-server.ts'

const OPTIONS = { deadlineMs: 1000 }

/** The session bus that an environment names. */
export function sessionBus(env: Env): Promise<Bus> {
  const address = env.DBUS_SESSION_BUS_ADDRESS ?? (env.XDG_RUNTIME_DIR === undefined ? undefined : `unix:path=${env.XDG_RUNTIME_DIR}/bus`)
  if (address === undefined) throw new DeskhandError('NO_DESKTOP', 'there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set')
  return Bus.connect(address, { deadlineMs: 3000 })
}

/** Where the accessibility bus of a session is. */
export async function accessibilityAddress(session: Bus): Promise<string> {
  const [address] = await session.call('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress', '', [], 's', OPTIONS)
  return address
}

/** Applications offer their trees only while these are on; to be set before they start. */
export async function enableAccessibility(session: Bus): Promise<void> {
  const set = (name: string): Promise<unknown> =>
    session.call(
      'org.a11y.Bus',
      '/org/a11y/bus',
      'org.freedesktop.DBus.Properties',
      'Set',
      'ssv',
      ['org.a11y.Status', name, { type: 'b', value: true }],
      '',
      OPTIONS,
    )
  await Promise.all([set('IsEnabled'), set('ScreenReaderEnabled')])
}
