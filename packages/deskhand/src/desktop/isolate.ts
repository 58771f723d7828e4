import { join } from 'node:path'
import { ruleMounts } from './bus.ts'
import type { SandboxRecord } from './record.ts'

/** What of the system an isolated program sees, all of it read-only. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/var/cache/fontconfig']

/** Of /etc only what programs need to draw and to find themselves: no keys, no passwords, nothing of the machine's own. */
const ETC = [
  'alternatives',
  'chromium',
  'chromium.d',
  'dbus-1',
  'dconf',
  'firefox',
  'firefox-esr',
  'fonts',
  'group',
  'gtk-2.0',
  'gtk-3.0',
  'gtk-4.0',
  'java-11-openjdk',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'libreoffice',
  'locale.alias',
  'localtime',
  'machine-id',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'python3',
  'python3.11',
  'python3.12',
  'python3.13',
  'ssl/certs',
  'terminfo',
  'timezone',
  'X11',
  'xdg',
]

/**
 * The words before a program that lock it up with bubblewrap: no network, no other display, a read-only system, and of this desktop only
 * its home, its sockets and its cookie. A bus shares the process numbers of this machine (`shared`), as it has to name its clients, and has
 * rules of its own.
 */
export function isolation(bwrap: string, record: Pick<SandboxRecord, 'dir' | 'env' | 'socket'>, processes: 'own' | 'shared'): string[] {
  const { dir, env, socket } = record
  const home = join(dir, 'home')
  return [
    bwrap,
    ...['user', 'ipc', 'net', 'uts'].map((what) => `--unshare-${what}`),
    ...(processes === 'own' ? ['--unshare-pid', '--proc', '/proc'] : ['--ro-bind', '/proc', '/proc']),
    '--cap-drop',
    'ALL',
    '--new-session',
    '--hostname',
    'sandbox',
    ...[...SYSTEM, ...ETC.map((name) => `/etc/${name}`)].flatMap((path) => ['--ro-bind-try', path, path]),
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/run',
    '--dir',
    '/var/tmp',
    ...[home, join(dir, 'tmp'), join(dir, 'run')].flatMap((path) => ['--bind', path, path]),
    ...(processes === 'shared' ? ruleMounts(record) : []),
    ...[env['XAUTHORITY'], socket?.path].flatMap((path) => (path === undefined ? [] : ['--ro-bind', path, path])),
    '--chdir',
    home,
    '--',
  ]
}
