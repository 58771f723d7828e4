import type { AppIdentity, TargetFacts } from '../model/index.ts'
import { textOf } from './entered.ts'
import type { Setting, Subject } from './policy.ts'
import type { FactorId } from './risk-table.ts'
import { sameServer, server } from './url.ts'

/** What a call would reach in which an agent could answer questions about itself: Deskhand, or the desktop's own prompt for consent. */
export function protectedPart(subject: Subject, setting: Setting): FactorId | undefined {
  if (subject.principal.role === 'operator') return undefined
  for (const target of subject.targets) {
    const found = protectedTarget(target, setting)
    if (found) return found
  }
  return setting.own && namesConsole(subject, setting.own.consoleUrls) ? 'own.address' : undefined
}

export function protectedTarget(target: TargetFacts, setting: Setting): FactorId | undefined {
  const { own } = setting
  if (setting.desktop === 'host' && asksForConsent(target.app)) return 'own.consent'
  if (!own) return undefined
  if (isOwnProcess(target.app, setting)) return 'own.process'
  const title = target.window?.title
  if (title !== undefined && own.titles?.some((t) => title.includes(t))) return 'own.console'
  if (own.consoleUrls.length === 0) return undefined
  if ([target.url, target.window?.url, ...(target.pages ?? [])].some((url) => url !== undefined && sameServer(url, own.consoleUrls)))
    return 'own.console'
  // Developer tools and source views name the page in their title; links, bookmarks and address bars in their own texts.
  const words = [title, target.name, target.value, ...(target.says ?? [])]
  return words.some((text) => text !== undefined && own.consoleUrls.some((url) => names(text, url))) ? 'own.address' : undefined
}

function isOwnProcess(app: AppIdentity | undefined, setting: Setting): boolean {
  return app?.pid !== undefined && (setting.own?.pids.includes(app.pid) ?? false)
}

/** A portal's backend shows the dialogs in which a person lets programs send input or see the screen. */
function asksForConsent(app: AppIdentity | undefined): boolean {
  return app?.executable !== undefined && PORTAL.test(app.executable)
}

const PORTAL = /\/xdg-desktop-portal(?:-[\w-]+)?(?: \(deleted\))?$/

/** Typing the console's address into a browser, or starting one with it, is reaching for the console. */
function namesConsole(subject: Subject, consoleUrls: readonly string[]): boolean {
  const text = textOf(subject)
  return text !== '' && consoleUrls.some((url) => names(text, url))
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
