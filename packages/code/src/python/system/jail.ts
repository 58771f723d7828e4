import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { PythonJob } from '../engine.ts'
import { LAUNCH, PROJECT, SCRATCH } from '../launch.ts'
import { shownParts, type Shown } from '../lent.ts'

const MB = 2 ** 20
export const FILTER_FD = 3

export interface HostPython {
  executable: string
  /** Folders it needs beside /usr. */
  folders: string[]
}

/** The arguments of bubblewrap: an empty root, the host's programs and the project to read, one small folder to write. */
export async function jailArgs(
  python: HostPython,
  job: Pick<PythonJob, 'projectRoot' | 'hidden' | 'limits' | 'timeoutMs'>,
): Promise<string[]> {
  const { projectRoot } = job
  const project =
    projectRoot === undefined ? ['--dir', PROJECT] : (await shownParts(projectRoot, job.hidden)).flatMap((part) => show(projectRoot, part))
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'python', '--clearenv'],
    ...env({ PATH: '/usr/bin:/bin', HOME: SCRATCH, TMPDIR: SCRATCH, LANG: 'C.UTF-8' }),
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib64', '/lib32'].flatMap(likeHost),
    ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...python.folders.flatMap((path) => ['--ro-bind', path, path]),
    ...['--dev', '/dev', '--remount-ro', '/dev'],
    ...['--size', String(2 * job.limits.fileMb * MB), '--tmpfs', SCRATCH],
    ...project,
    ...['--remount-ro', '/', '--chdir', PROJECT, '--seccomp', String(FILTER_FD), '--'],
    ...[python.executable, '-I', '-B', '-c', program(job)],
  ]
}

function show(root: string, part: Shown): string[] {
  const at = join(PROJECT, part.at)
  if (part.as === 'folder') return ['--dir', at]
  return part.as === 'link' ? ['--symlink', part.to, at] : ['--ro-bind', join(root, part.at), at]
}

/** Sets limits that nothing in the jail can raise, reads the job from stdin and runs the script. */
function program({ limits, timeoutMs }: Pick<PythonJob, 'limits' | 'timeoutMs'>): string {
  return `${LAUNCH}${LANDLOCK}
def _main():
    import os, resource, sys
    kind, text, *args = sys.stdin.buffer.read().decode().split('\\0')
    nothing = os.open('/dev/null', os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for name, limit in {
        'AS': ${limits.memoryMb * MB}, 'FSIZE': ${limits.fileMb * MB}, 'CPU': ${Math.ceil(timeoutMs / 1000) + 5},
        'NOFILE': 256, 'NPROC': 256, 'CORE': 0, 'MEMLOCK': 0, 'MSGQUEUE': 0,
    }.items():
        resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (limit, limit))
    only_write_below('${SCRATCH}', '/dev')
    sys.exit(launch({kind: text, 'args': args}))

_main()
`
}

/** On a read-only mount named pipes can still be written; Landlock prevents it, in kernels that have it. */
const LANDLOCK = `
def only_write_below(*folders):
    import os
    try:
        import ctypes
    except ImportError:
        return
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(444, None, 0, 1)
    if version < 1:
        return
    rights = 1 << 1 | (1 << 13 if version > 1 else 0)
    rules = call(444, rights.to_bytes(8, 'little'), 8, 0)
    for folder in folders:
        at = os.open(folder, os.O_PATH)
        call(445, rules, 1, rights.to_bytes(8, 'little') + at.to_bytes(4, 'little'), 0)
        os.close(at)
    if rules < 0 or call(446, rules, 0) != 0:
        raise OSError(ctypes.get_errno(), 'Landlock could not be set up')
    os.close(rules)
`

function env(variables: Record<string, string>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value])
}

/** On most systems these are links into /usr; on others they are folders of their own. */
function likeHost(path: string): string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
