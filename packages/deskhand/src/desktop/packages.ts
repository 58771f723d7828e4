import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { DeskhandError } from '@deskhand/core/errors'

const INSTALL = ['install', '-y', '--no-install-recommends']

export const installLine = (packages: readonly string[]): string => `apt-get ${INSTALL.join(' ')} ${packages.join(' ')}`

/** Those of the packages that are not installed, under their own name or provided by another; undefined where there is no dpkg to ask. */
export async function notInstalled(packages: readonly string[]): Promise<string[] | undefined> {
  if (packages.length === 0) return []
  let listed: string
  try {
    const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}\t${Package}\t${Provides}\n'], {
      maxBuffer: 64 << 20,
    })
    listed = stdout
  } catch {
    return undefined
  }
  const there = new Set<string>()
  for (const line of listed.split('\n')) {
    const [status, name = '', provides = ''] = line.split('\t')
    if (!status?.startsWith('ii')) continue
    there.add(name)
    for (const other of provides.split(',')) there.add(other.trim().split(' ')[0] ?? '')
  }
  return packages.filter((p) => !there.has(p))
}

/** Installs Debian packages where that is possible, root on Debian; elsewhere the error is the line to run. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  const line = installLine(packages)
  if (process.getuid?.() !== 0)
    throw new DeskhandError('MISSING_PACKAGE', `installing ${packages.join(', ')} needs root`, { next: `Run as root: ${line}` })
  await aptGet(['update', '-q'], line)
  await aptGet([...INSTALL, '-q', ...packages], line)
}

function aptGet(args: string[], line: string): Promise<void> {
  const failed = (how: string): DeskhandError =>
    new DeskhandError('MISSING_PACKAGE', `apt-get ${args[0]} ${how}`, { next: `See what it said, then run: ${line}` })
  return new Promise((done, fail) => {
    const child = spawn('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: ['ignore', 2, 2] })
    child.once('error', () =>
      fail(
        new DeskhandError('MISSING_PACKAGE', 'there is no apt-get here: this is no Debian system', {
          next: `Install what these Debian packages hold: ${line}`,
        }),
      ),
    )
    child.once('exit', (code) => (code === 0 ? done() : fail(failed(`ended with ${code}`))))
  })
}
