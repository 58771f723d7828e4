import { readFileSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { DeskhandError } from '../errors.ts'
import { argument, type AppIdentity, type DesktopKind } from '../model/index.ts'
import { glob, type Test } from './glob.ts'
import { baseName } from './identity.ts'
import type { Problem } from './load.ts'
import { isOfWindows, pathGlob } from './path-glob.ts'
import type { Setting, Subject } from './policy.ts'
import type { LoadedRule } from './rule.ts'
import { keyLines } from './toml-lines.ts'

/** What agents may start and close, and the configuration file that says so. */
export interface AppList {
  /** Globs on the executable's name, or on its path where they hold a slash. */
  apps?: readonly string[]
  file?: string
}

/**
 * The rule `desktop.apps`: agents start and close only the applications of a list. Without a list a sandbox is free, and nothing starts on
 * a person's desktop unless a rule of the operator or the administrator decides it. It only ever denies.
 */
export class AppLimit {
  readonly rule: LoadedRule
  readonly apps: readonly string[] | undefined
  readonly #tests: readonly Test[] | undefined

  constructor({ apps, file }: AppList = {}) {
    this.apps = apps
    this.#tests = apps?.map((pattern) => listTest(pattern))
    const tools = apps === undefined ? ['ui.launch'] : ['ui.launch', 'ui.close']
    this.rule = {
      spec: { name: NAME, toolName: tools, decision: 'deny', priority: 999 },
      source: { file: file ?? 'configuration', line: lineOf(file), tier: apps === undefined ? 'builtin' : 'admin', name: NAME },
    }
  }

  /** Why a call that `by` would let through is denied all the same. */
  refusal(subject: Subject, by: LoadedRule, setting: Setting): string | undefined {
    const { desktop } = setting
    if (subject.principal.role === 'operator') return undefined
    if (this.#tests === undefined) {
      const isRuled = desktop !== 'host' || subject.kind !== 'launch' || by.source.tier !== 'builtin'
      return isRuled ? undefined : "nothing is started on a person's desktop unless this list has it or a rule allows it."
    }
    const tests = this.#tests
    const outside = touched(subject, setting).find((names) => !names.some((name) => tests.some((test) => test(name))))
    return outside === undefined ? undefined : `the list does not have ${outside[0] ?? 'this program'}.`
  }
}

/** What is wrong or doubtful about a list. */
export function checkApps({ apps = [], file }: AppList): Problem[] {
  const problem = (severity: Problem['severity'], message: string): Problem => ({
    file: file ?? 'configuration',
    line: lineOf(file),
    severity,
    message: `${NAME}: ${message}`,
  })
  return apps.flatMap((pattern) => {
    try {
      const test = listTest(pattern)
      const other = OPENERS.find((name) => test(name) || test(`/usr/bin/${name}`))
      return other === undefined ? [] : [problem('warning', `${JSON.stringify(pattern)} lets in ${other}, which starts any other program`)]
    } catch (thrown) {
      return [problem('error', DeskhandError.from(thrown).message.replace(`${NAME}: `, ''))]
    }
  })
}

const NAME = 'desktop.apps'
const OPENERS = ['sh', 'bash', 'dash', 'zsh', 'env', 'xterm', 'python3', 'perl', 'xdg-open', 'gtk-launch']

/** A pattern with a slash is for whole paths. Any other is for programs that are found by their bare name, as a path could lead to any file of that name. */
function listTest(pattern: string): Test {
  try {
    const test = isPath(pattern) ? pathGlob(pattern) : glob(pattern, { path: true })
    return (app) => isPath(app) === isPath(pattern) && isNormal(app) && test(app)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'is no glob'
    throw new DeskhandError('BAD_CONFIG', `${NAME}: ${JSON.stringify(pattern)}: ${why}`)
  }
}

const isPath = (text: string): boolean => text.includes('/') || isOfWindows(text)
const isNormal = (app: string): boolean => (isOfWindows(app) ? win32 : posix).normalize(app) === app

/** What would be started or closed: per program the names that the list may have. What is started has only the name in the call. */
function touched({ kind, args, targets }: Subject, { desktop, driver }: Setting): string[][] {
  if (kind === 'close') return targets.map(({ app }) => namesOf(app, desktop))
  if (kind !== 'launch') return []
  const app = argument(args, 'app')
  return [typeof app !== 'string' ? [] : driver === 'windows' && !isPath(app) ? onWindows(app.toLowerCase()) : [app]]
}

/** An application is what its executable says; a simulated one has nothing but its name. */
function namesOf(app: AppIdentity | undefined, desktop: DesktopKind): string[] {
  const path = app?.executable
  if (path !== undefined && isOfWindows(path)) return [...onWindows(baseName(path)), path]
  if (path !== undefined) return [path.slice(path.lastIndexOf('/') + 1), path]
  return app !== undefined && desktop === 'virtual' ? [app.name] : []
}

/** A program of Windows is started with or without the ending of its file. */
const onWindows = (name: string): string[] => [name, name.endsWith('.exe') ? name.slice(0, -'.exe'.length) : `${name}.exe`]

function lineOf(file: string | undefined): number {
  if (file === undefined) return 0
  try {
    return keyLines(readFileSync(file, 'utf8')).line(['desktop', 'apps'])
  } catch {
    return 0
  }
}
