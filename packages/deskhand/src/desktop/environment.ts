import { join } from 'node:path'
import type { Mark } from './process.ts'
import type { DisplayName } from './record.ts'

/** All that a program on the desktop inherits from us: the host's display, buses, home and secrets stay outside. */
const INHERITED = ['PATH', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'XDG_DATA_DIRS', 'XDG_CONFIG_DIRS']

const VARIABLE = 'DESKHAND_DESKTOP'

/** By this every process of a desktop is recognised when it is taken down. The limit on file locks means nothing to Linux any more. */
export const markOf = (id: string): Mark => ({ variable: `${VARIABLE}=${id}`, locks: (BigInt(`0x${id}`) >> 2n).toString() })

/** The variables that make up this desktop; neither a file nor a program may set them. */
const OURS = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'WAYLAND_SOCKET',
  'XAUTHORITY',
  'HOME',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
  'AT_SPI_BUS_ADDRESS',
  'NO_AT_BRIDGE',
]

/** What leads programs of a shell back to the desktop, the settings or the secrets of the person whose shell it is. */
const LEADS = [
  'DBUS_STARTER_ADDRESS',
  'DBUS_STARTER_BUS_TYPE',
  'DESKTOP_STARTUP_ID',
  'GNOME_KEYRING_CONTROL',
  'GPG_AGENT_INFO',
  'GTK_IM_MODULE',
  'GTK_MODULES',
  'QT_IM_MODULE',
  'SESSION_MANAGER',
  'SSH_AGENT_PID',
  'SSH_AUTH_SOCK',
  'XDG_ACTIVATION_TOKEN',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XMODIFIERS',
]

export const isReserved = (name: string): boolean => OURS.includes(name) || name.startsWith('DESKHAND_')

export function environmentOf(
  id: string,
  dir: string,
  display: DisplayName = 'x11',
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {
    [VARIABLE]: id,
    HOME: join(dir, 'home'),
    TMPDIR: join(dir, 'tmp'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'run', 'bus')}`,
    XDG_SESSION_TYPE: display,
    ...(display === 'x11' ? onX11(dir) : onWayland(dir)),
    LANG: 'C.UTF-8',
    // Without a GPU, GTK 4 draws wrongly or slowly with its own renderers.
    GSK_RENDERER: 'cairo',
    LIBGL_ALWAYS_SOFTWARE: '1',
    GSETTINGS_BACKEND: 'memory',
    GTK_USE_PORTAL: '0',
  }
  for (const name of INHERITED) {
    const value = from[name]
    if (value !== undefined) env[name] = value
  }
  return env
}

const onX11 = (dir: string): Record<string, string> => ({
  XAUTHORITY: join(dir, 'Xauthority'),
  DESKHAND_FRAMEBUFFER: join(dir, 'fb', 'Xvfb_screen0'),
  GDK_BACKEND: 'x11',
  QT_QPA_PLATFORM: 'xcb',
})

/** Through its own socket sway runs any command, so it lies where isolated applications do not see it, and only the driver is told. */
const onWayland = (dir: string): Record<string, string> => ({
  DESKHAND_SWAYSOCK: join(dir, 'sway.sock'),
  GDK_BACKEND: 'wayland',
  QT_QPA_PLATFORM: 'wayland',
  // Qt offers its tree only where it is told that there is a reader.
  QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
  XDG_CURRENT_DESKTOP: 'sway',
})

/** What an operator's programs get: Qt 6 offers no tree where a variable names the accessibility bus, and all find it by the session bus. */
export const programEnvironment = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'AT_SPI_BUS_ADDRESS'))

/** Shell lines after which a shell's programs run on the desktop, and know nothing of the one the shell came from. */
export function exportLines(env: Readonly<Record<string, string>>): string[] {
  const strangers = OURS.filter((name) => env[name] === undefined)
  const exports = Object.entries(env).filter(([name]) => !INHERITED.includes(name) && name !== 'DESKHAND_LAUNCH_PREFIX')
  return [
    `unset ${[...strangers, ...LEADS].join(' ')}`,
    ...exports.map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`),
  ]
}
