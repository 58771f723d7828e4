import type { AppIdentity, TargetFacts } from '../model/index.ts'
import { enteredText } from './call.ts'
import type { Setting, Subject } from './policy.ts'
import type { FactorId } from './risk-table.ts'
import { sameServer, server } from './url.ts'

/** Whether a call would reach Deskhand itself, where an agent could answer its own questions. */
export function reachesOwn(subject: Subject, setting: Setting): FactorId | undefined {
  if (subject.principal.role === 'operator' || !setting.own) return undefined
  for (const target of subject.targets) {
    const found = ownTarget(target, setting)
    if (found) return found
  }
  return namesConsole(subject, setting.own.consoleUrls) ? 'own.address' : undefined
}

export function ownTarget(target: TargetFacts, setting: Setting): FactorId | undefined {
  const { own } = setting
  if (!own) return undefined
  if (ownApp(target.app, setting)) return 'own.process'
  if (target.url !== undefined && sameServer(target.url, own.consoleUrls)) return 'own.console'
  const title = target.window?.title
  return title !== undefined && own.titles?.some((t) => title.includes(t)) ? 'own.console' : undefined
}

export function ownApp(app: AppIdentity | undefined, setting: Setting): boolean {
  return app?.pid !== undefined && (setting.own?.pids.includes(app.pid) ?? false)
}

/** Typing the console's address into a browser, or starting one with it, is reaching for the console. */
function namesConsole(subject: Subject, consoleUrls: readonly string[]): boolean {
  const texts = [enteredText(subject), ...launchArgs(subject)]
  return consoleUrls.some((url) => texts.some((text) => names(text, url)))
}

/** Whether a text holds `host:port` of this server, under any name of the loopback. */
function names(text: string, url: string): boolean {
  const wanted = server(url)
  if (wanted === undefined) return false
  const port = wanted.slice(wanted.lastIndexOf(':'))
  const tried = new Set<string>()
  for (let at = text.indexOf(port); at >= 0; at = text.indexOf(port, at + 1)) {
    if (/\d/.test(text.charAt(at + port.length))) continue
    const host = hostBefore(text, at)
    if (!tried.has(host) && server(`http://${host}${port}`) === wanted) return true
    tried.add(host)
  }
  return false
}

function hostBefore(text: string, at: number): string {
  const ends = text[at - 1] === ']' ? IPV6_ENDS : HOST_ENDS
  let start = at
  while (start > 0 && at - start < LONGEST_HOST && !ends.has(text.charAt(start - 1))) start--
  return text.slice(ends === IPV6_ENDS ? start - 1 : start, at)
}

const LONGEST_HOST = 255
/** What can stand before a host in a text or an address. */
const HOST_ENDS: ReadonlySet<string> = new Set(' \t\r\n/@"\'\\<>(),=:')
const IPV6_ENDS: ReadonlySet<string> = new Set('[')

function launchArgs(subject: Subject): string[] {
  const { kind, args } = subject
  if (kind !== 'launch' || typeof args !== 'object' || args === null || !('args' in args) || !Array.isArray(args.args)) return []
  return args.args.filter((a) => typeof a === 'string')
}
