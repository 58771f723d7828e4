import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxRecord } from './record.ts'

/** The folder of the buses' rules. Only the buses see it. */
const rulesOf = ({ dir }: Pick<SandboxRecord, 'dir'>): string => join(dir, 'bus')

export const sessionRules = (record: Pick<SandboxRecord, 'dir'>): string => join(rulesOf(record), 'session.conf')

/**
 * The rules of buses that serve isolated applications. A bus shares the process numbers of this machine, so a program it starts could end
 * any process of the user: it may start the accessibility bus and its registry, and nothing that an application chooses.
 */
export function writeRules(record: Pick<SandboxRecord, 'dir'>, launcher: string): void {
  const services = join(rulesOf(record), 'services')
  mkdirSync(services, { recursive: true, mode: 0o700 })
  writeFileSync(join(services, 'org.a11y.Bus.service'), `[D-BUS Service]\nName=org.a11y.Bus\nExec=${launcher}\n`)
  writeFileSync(sessionRules(record), rules('session', services))
  writeFileSync(accessibilityRules(record), rules('accessibility', REGISTRY))
}

/** What an isolated bus sees of them; the launcher of the accessibility bus reads its rules from this path. */
export const ruleMounts = (record: Pick<SandboxRecord, 'dir'>): string[] =>
  [
    [rulesOf(record), rulesOf(record)],
    [accessibilityRules(record), '/etc/at-spi2/accessibility.conf'],
  ].flatMap(([from = '', to = '']) => ['--ro-bind', from, to])

const accessibilityRules = (record: Pick<SandboxRecord, 'dir'>): string => join(rulesOf(record), 'accessibility.conf')
const REGISTRY = '/usr/share/dbus-1/accessibility-services'

const rules = (type: 'session' | 'accessibility', services: string): string => `<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>${type}</type>
  <keep_umask/>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <servicedir>${services}</servicedir>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/>
    <deny send_destination="org.freedesktop.DBus" send_path="/org/freedesktop/DBus" send_member="UpdateActivationEnvironment"/>
    <deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
  </policy>
${LIMITS.map(([name, value]) => `  <limit name="${name}">${value}</limit>`).join('\n')}
</busconfig>
`

/** Trees are large and asked for by many calls at once. */
const LIMITS: readonly [string, number][] = [
  ['max_incoming_bytes', 1_000_000_000],
  ['max_outgoing_bytes', 1_000_000_000],
  ['max_message_size', 1_000_000_000],
  ['max_completed_connections', 100_000],
  ['max_connections_per_user', 100_000],
  ['max_names_per_connection', 50_000],
  ['max_match_rules_per_connection', 50_000],
  ['max_replies_per_connection', 50_000],
]
