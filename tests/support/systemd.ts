import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { processes } from '@deskhand/core/platform'
import type { World } from './cli.ts'

const PROGRAM = '/lib/systemd/systemd'

/** Process ids, mounts and control groups of its own, which is what a systemd needs that is not the first process of the machine. */
const PLACE = String.raw`set -e
mount --make-rprivate /
mount -t proc proc /proc
mkdir -p "$2"
mount -t cgroup2 cgroup2 "$2"
mkdir "$2/$1"
echo $$ > "$2/$1/cgroup.procs"
mount -t tmpfs tmpfs /run/systemd
mkdir /run/systemd/system
unshare --cgroup --mount sh -c 'umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec ${PROGRAM} --user' &
wait $! || true
echo $$ > "$2/cgroup.procs"
find "$2/$1" -depth -type d -exec rmdir {} +
`

/** Whether one may be started here: by root, who may mount, and where it is installed. */
export const hasSystemd =
  process.getuid?.() === 0 &&
  existsSync(PROGRAM) &&
  existsSync('/run/systemd') &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', '--cgroup', 'mount', '-t', 'cgroup2', 'cgroup2', '/mnt']).status === 0

/** The systemd of one user, as a login starts it, with the files of a world of the test's own. */
export class UserSystemd {
  readonly #child: ChildProcess
  readonly #env: Record<string, string>

  static async start({ dir, env }: World): Promise<UserSystemd> {
    const runtime = join(dir, 'runtime')
    mkdirSync(runtime, { mode: 0o700 })
    const units = [join(dir, '.config/systemd/user'), '/usr/lib/systemd/user'].join(':')
    const its = { ...env, XDG_RUNTIME_DIR: runtime, SYSTEMD_UNIT_PATH: units }
    const place = ['-c', PLACE, 'sh', basename(dir), join(dir, 'cgroup')]
    const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', ...place], {
      env: its,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const started = new UserSystemd(child, its)
    while (started.systemctl('is-active', 'default.target').out !== 'active') {
      if (child.exitCode !== null) throw new Error(`systemd ended with ${child.exitCode}`)
      await new Promise((done) => setTimeout(done, 50))
    }
    return started
  }

  private constructor(child: ChildProcess, env: Record<string, string>) {
    this.#child = child
    this.#env = env
  }

  /** `systemctl --user`, as the user types it. */
  systemctl(...args: string[]): { code: number | null; out: string } {
    return this.run('systemctl', '--user', ...args)
  }

  /** A command that sees what this systemd sees. */
  run(...command: string[]): { code: number | null; out: string } {
    const first = processes().find(({ parent }) => parent === this.#child.pid)
    if (first === undefined) return { code: null, out: '' }
    const inside = ['--target', String(first.id.pid), '--mount', '--pid', '--']
    const { status, stdout } = spawnSync('nsenter', [...inside, ...command], { env: this.#env, encoding: 'utf8' })
    return { code: status, out: stdout.trim() }
  }

  /** What it says of a unit. */
  show(unit: string, property: string): string {
    return this.systemctl('show', unit, '--value', '--property', property).out
  }

  /** As when the user's last session ends: it ends what it started, and then itself. */
  async end(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, 'exit') : undefined
    this.systemctl('exit')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(timer)
  }
}
