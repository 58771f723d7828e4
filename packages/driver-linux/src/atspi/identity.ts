import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { AppIdentity } from '@deskhand/core/model'

const MAX_NAME = 200
const MAX_RUNS = 500
const MAX_BYTES = 65_536

/** The application behind a pid: its executable and what that runs count, not what it calls itself. */
export function identify(id: string, pid: number | undefined, name: string, toolkit: string | undefined): AppIdentity {
  const executable = pid === undefined ? undefined : link(`/proc/${pid}/exe`)
  const identity: AppIdentity = { id, name: name === '' ? basename(executable ?? id) : name.slice(0, MAX_NAME) }
  if (pid === undefined) return toolkit === undefined ? identity : { ...identity, toolkit }
  identity.pid = pid
  if (executable !== undefined) identity.executable = executable
  if (toolkit !== undefined) identity.toolkit = toolkit
  const runs = executable === undefined ? undefined : runsOf(executable, argumentsOf(pid), link(`/proc/${pid}/cwd`))
  if (runs !== undefined) identity.runs = runs.slice(0, MAX_RUNS)
  const bundle = bundleOf(text(`/proc/${pid}/root/.flatpak-info`), text(`/proc/${pid}/cgroup`))
  if (bundle !== undefined) identity.bundle = bundle.slice(0, MAX_NAME)
  return identity
}

/** The script, jar, module or folder that an interpreter runs, or the program under Wine; undefined for a program of its own. */
export function runsOf(executable: string, [, ...args]: readonly string[], cwd = '/'): string | undefined {
  const program = basename(executable).replace(/ \(deleted\)$/, '')
  const kind = INTERPRETERS.find(({ name }) => name.test(program))
  if (kind === undefined) return undefined
  const apart = kind.joins ? args.flatMap((arg) => separated(arg, kind)) : args
  for (let i = 0; i < apart.length; i++) {
    const arg = apart[i] ?? ''
    if (kind.inline?.includes(arg)) return `code given to ${program}`
    const named = kind.named?.[arg]
    if (named !== undefined) return named === 'path' ? resolve(cwd, apart[i + 1] ?? '') : `${named} ${apart[i + 1] ?? ''}`
    if (kind.takes?.includes(arg)) i++
    else if (!arg.startsWith('-') && (kind.ends?.test(arg) ?? true)) return kind.isName ? `class ${arg}` : resolve(cwd, arg)
  }
  return undefined
}

/** One-letter options that stand together, and the value that stands right behind one: `-Ic` is `-I -c`. */
function separated(arg: string, { inline = [], named = {}, takes = [] }: Interpreter): string[] {
  if (!/^-[^-]./s.test(arg)) return [arg]
  const letters = [...arg.slice(1)]
  const ends = letters.findIndex((letter) => [...inline, ...takes, ...Object.keys(named)].includes(`-${letter}`))
  if (ends === -1) return [arg]
  const value = letters.slice(ends + 1).join('')
  return [...letters.slice(0, ends + 1).map((letter) => `-${letter}`), ...(value === '' ? [] : [value])]
}

interface Interpreter {
  name: RegExp
  /** Its one-letter options may stand together. */
  joins?: boolean
  /** Options that bring the code itself. */
  inline?: readonly string[]
  /** Options behind which stands what is run: a path, or the name of a module. */
  named?: Readonly<Record<string, string>>
  /** Options with a value of their own. */
  takes?: readonly string[]
  /** What is run ends so. */
  ends?: RegExp
  /** What is run is no file. */
  isName?: boolean
}

const INTERPRETERS: readonly Interpreter[] = [
  { name: /^(python|pypy)[\d.]*$/, joins: true, inline: ['-c'], named: { '-m': 'module' }, takes: ['-W', '-X', '--check-hash-based-pycs'] },
  {
    name: /^java$/,
    named: { '-jar': 'path', '-m': 'module', '--module': 'module' },
    takes: ['-cp', '-classpath', '--class-path', '-p', '--module-path', '--add-modules'],
    isName: true,
  },
  {
    name: /^(node|nodejs|bun|deno)$/,
    joins: true,
    inline: ['-e', '--eval', '-p', '--print'],
    takes: ['-r', '--require', '--import', '-C', '--conditions'],
  },
  { name: /^(ba|da|z|k|fi|)sh$/, joins: true, inline: ['-c'], takes: ['-o', '-O'] },
  {
    name: /^(perl|ruby|php|lua|gjs|gjs-console|guile|tclsh|wish|mono)[\d.]*$/,
    joins: true,
    inline: ['-e', '-E', '-r'],
    takes: ['-I', '-M'],
  },
  { name: /^wine(64)?(-preloader|-staging)?$/, ends: /\.(exe|com|bat|msi|lnk)$/i },
  { name: /^electron[\d.]*$/, takes: ['-r', '--require'] },
]

/** The Flatpak or Snap that a process belongs to, or the desktop entry that it was started from. */
export function bundleOf(flatpak: string | undefined, cgroup: string | undefined): string | undefined {
  const name = /^\[Application\][^[]*?^name=(\S+)/ms.exec(flatpak ?? '')?.[1]
  if (name !== undefined) return `flatpak ${name}`
  const scope = /\/([^/\n]+)\.(?:scope|service)\s*$/m
    .exec(cgroup ?? '')?.[1]
    ?.replaceAll(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const snap = /^snap\.([\w-]+)\./.exec(scope ?? '')?.[1]
  if (snap !== undefined) return `snap ${snap}`
  const entry = /^app-(?:[\w]+-)?(.+?)(?:-\d+|@[\w-]+)$/.exec(scope ?? '')?.[1]
  return entry === undefined ? undefined : `desktop entry ${entry}`
}

const argumentsOf = (pid: number): string[] => (text(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, -1)

/** The beginning of a plain file. An application lays out its own root: what waits, never ends or leads elsewhere is not read. */
export function text(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      if (!fstatSync(file).isFile()) return undefined
      const bytes = Buffer.alloc(MAX_BYTES)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_BYTES, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
