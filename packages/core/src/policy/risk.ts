import { argument, parseChord, PRESSED, TRAITS, type Risk, type RiskLevel, type TargetFacts } from '../model/index.ts'
import { onlyMoves } from './call.ts'
import { textOf } from './entered.ts'
import { fold } from './fold.ts'
import { program } from './identity.ts'
import { lexiconOf, type Lexicon } from './lexicon.ts'
import { closesByKeys, pressesFrame, takesText } from './meaning.ts'
import { protectedPart } from './self-protection.ts'
import type { Setting, Subject } from './policy.ts'
import { FACTORS, LEVELS, type AppClass, type FactorId } from './risk-table.ts'
import { plain, tokenize, type WordHits } from './word-match.ts'
import { COMMANDS } from './words.ts'

/** How risky a call is, as a sum of factors. What the screen says can add a factor and never takes one away. */
export function assess(subject: Subject, setting: Setting, lexicon: Lexicon = OWN_LEXICON): Risk {
  const found = new Map<FactorId, string | undefined>()
  const add: Add = (id, word) => void (found.has(id) || found.set(id, word))
  const own = protectedPart(subject, setting)
  if (own) add(own)
  const { risk, reads } = TRAITS[subject.kind]
  if (risk !== 'none') add(risk)
  if (reads) for (const target of subject.targets) readFactors(lexicon.classes(target.app, setting.desktop), add)
  else actFactors(subject, setting, lexicon, add)
  const factors: Risk['factors'] = [...found].map(([id, word]) => ({ id, weight: FACTORS[id][0], detail: sentence(id, word) }))
  const sum = factors.reduce((total, f) => total + f.weight, 0)
  const floor = reads ? undefined : floorOf(subject.targets)
  const lacking = floor === undefined ? 0 : Math.max(0, floor.from - sum)
  if (floor !== undefined && lacking > 0)
    factors.push({
      id: 'driver.floor',
      weight: lacking,
      detail: `a driver that was added to this desktop tells of it; its least risk is ${floor.level}`,
    })
  const score = sum + lacking
  if (factors.length > 1) factors.sort((a, b) => b.weight - a.weight)
  return { level: levelOf(score), score, factors }
}

export function levelOf(score: number): RiskLevel {
  return LEVELS.find((l) => score >= l.from)?.level ?? 'low'
}

/** The highest of the least risks that the operator set for added drivers. */
function floorOf(targets: readonly TargetFacts[]): (typeof LEVELS)[number] | undefined {
  return LEVELS.find(({ level }) => targets.some((t) => t.app?.added?.risk === level))
}

/** A factor, with the listed word that gave it away: never text from the screen, which a refusal must not leak. */
type Add = (id: FactorId, word?: string) => void

function sentence(id: FactorId, word: string | undefined): string {
  return word === undefined ? FACTORS[id][1] : `${FACTORS[id][1]} "${word}"`
}

function readFactors(classes: readonly AppClass[], add: Add): void {
  for (const known of classes) if (known === 'finance' || known === 'passwords' || known === 'authentication') add(`read.${known}`)
}

function actFactors(subject: Subject, setting: Setting, lexicon: Lexicon, add: Add): void {
  const { kind, args, targets } = subject
  const traits = TRAITS[kind]
  const text = textOf(subject)
  const classes = ({ app }: TargetFacts): readonly AppClass[] => lexicon.classes(app, setting.desktop)
  if (targets.length === 0 && traits.targets !== 'none' && !onlyMoves(subject)) add('source.unknown')
  const keys = pressedKeys(subject)
  const activates = keys.some((k) => k === 'Enter' || k === ' ')
  if (activates) add('action.click')
  const entered = kind === 'type' && (/[ \r\n]/.test(text) || argument(args, 'submit') === 'Enter')
  for (const target of targets) {
    if (target.reached !== undefined) {
      const presses = target.reached === 'click'
      if (presses) add('action.click')
      appFactors(target, classes(target), add)
      fieldFactors(target, lexicon, { presses, enters: !presses }, add)
      continue
    }
    // A space or a line break that is typed at a button presses it.
    const typed = entered && !takesText(target)
    if (typed) add('action.click')
    const presses = traits.presses || activates || typed
    sourceFactors(target, setting, add)
    appFactors(target, classes(target), add)
    fieldFactors(target, lexicon, { presses, enters: traits.text.length > 0 }, add)
    if ((keys.includes('Delete') || clears(subject)) && target.states?.editable !== true) add('key.delete')
  }
  const terminal = targets.some((t) => t.role === 'terminal' || classes(t).includes('terminal'))
  textFactors(subject, text, terminal, add)
  if (argument(args, 'op') === 'close' || closesByKeys(subject) || pressesFrame(subject)) add('action.close')
  if (kind === 'close' && argument(args, 'force') === true) add('action.force')
  if (kind === 'launch') {
    const launched = argument(args, 'app')
    if (typeof launched === 'string') for (const known of lexicon.classesOf(launched)) add(`app.${known}`)
  }
  if (namesOther(subject)) add('intent.other')
  if (subject.tainted) add(traits.text.length > 0 ? 'taint.text' : 'taint.target')
  const from = subject.carried?.find(({ app }) => app !== undefined)?.app
  if (from !== undefined && kind !== 'code') add('taint.carried', program(from.executable ?? from.id))
  const drift = Math.max(0, ...targets.map((t) => t.driftPx ?? 0))
  if (drift > DRIFT_FAR_PX) add('drift.far')
  else if (drift > DRIFT_PX) add('drift')
}

function sourceFactors(target: TargetFacts, setting: Setting, add: Add): void {
  if (target.source === 'pixel') add('source.pixel')
  if (target.source === 'ocr') add('source.ocr')
  if (target.source === 'image') add('source.image')
  if (target.source === 'none' || target.unread === true) add('source.unknown')
  if (target.unread === true) add('source.unread')
  if (target.confidence < 0.8) add('confidence.low')
  if (target.confidence < 0.5) add('confidence.poor')
  if (target.selector !== undefined && !IDENTITY.test(target.selector.replaceAll(QUOTED, ''))) add('select.name')
  if (target.app?.executable === undefined && setting.desktop !== 'virtual') add('app.unknown')
}

function appFactors(target: TargetFacts, classes: readonly AppClass[], add: Add): void {
  for (const known of classes) add(`app.${known}`)
  if (target.role === 'terminal') add('app.terminal')
}

function fieldFactors(target: TargetFacts, lexicon: Lexicon, { presses, enters }: { presses: boolean; enters: boolean }, add: Add): void {
  if (target.states?.password === true) add('field.password')
  const words = wordsOn(target, lexicon)
  const payment = words.get('paymentField')
  if (payment !== undefined && enters) add('field.payment', payment)
  if (!presses) return
  wordFactors(words, add)
  const program = [target.name ?? '', ...(target.says ?? [])].map((text) => PROGRAM.exec(text)?.[1]).find(Boolean)
  if (program !== undefined && PRESSED.has(target.role)) add('word.program', program.toLowerCase())
  if (target.window && target.window.role !== 'window') {
    const said = [target.window.title ?? '', ...(target.window.says ?? [])].map((text) => lexicon.words(text))
    const word = said.map((words) => words.get('destructive') ?? words.get('paying') ?? words.get('committing')).find(Boolean)
    if (word !== undefined) add('word.dialog', word)
  }
}

/** A download whose name says that it can be run. */
const PROGRAM =
  /(?:download|herunterladen|télécharger|descargar|baixar|scarica|pobierz|indir|скачать|загрузить|下载|下載|ダウンロード|다운로드|تنزيل|डाउनलोड).*?(\.(?:sh|run|exe|msi|bat|cmd|ps1|vbs|scr|jar|deb|rpm|appimage|flatpakref|dmg|pkg|apk|desktop))(?![\p{L}\d])/isu

/** The telling words in its name, and in what else stands on it. */
function wordsOn({ name, value, says = [] }: TargetFacts, lexicon: Lexicon): WordHits {
  const first = lexicon.words(name || value || '')
  if (says.length === 0) return first
  const hits = new Map(first)
  for (const text of says) for (const [kind, word] of lexicon.words(text)) if (!hits.has(kind)) hits.set(kind, word)
  return hits
}

function wordFactors(words: WordHits, add: Add): void {
  for (const kind of ['destructive', 'committing', 'paying'] as const) {
    const word = words.get(kind)
    if (word !== undefined) add(`word.${kind}`, word)
  }
}

function textFactors(subject: Subject, text: string, terminal: boolean, add: Add): void {
  if (text === '' || subject.kind === 'code') return
  if (/[\r\n]/.test(text)) add('text.lines')
  if (hasCardNumber(text)) add('text.card')
  const command = terminal ? tokenize(plain(text.slice(0, 10_000))).find((t) => HARMFUL.has(t)) : undefined
  if (command !== undefined) add('text.command', command)
}

/** Whether everything that an intent quotes is something else than what is touched. */
function namesOther({ intent, targets }: Subject): boolean {
  if (intent === undefined) return false
  const quoted = [...intent.slice(0, 2_000).matchAll(QUOTES)].map((m) => fold(m.groups?.['name'] ?? '')).filter((name) => name.length > 1)
  const named = targets.filter((t) => (t.name ?? '') !== '')
  if (quoted.length === 0 || named.length === 0) return false
  const texts = targets.flatMap((t) => [t.name, ...(t.says ?? []), t.window?.title, t.app?.name, ...t.path].map((text) => fold(text ?? '')))
  return !quoted.some((name) => texts.some((text) => text !== '' && (text.includes(name) || name.includes(text))))
}

const QUOTES = /["“„«](?<name>[^"”“»]{2,100})["”“»]/g

/** 13 to 19 digits, spaced or not, that pass the Luhn check. */
function hasCardNumber(text: string): boolean {
  for (const [run] of text.slice(0, 10_000).matchAll(/\d(?:[ -]?\d){12,18}(?!\d)/g)) {
    const digits = Array.from(run.replaceAll(/\D/g, ''), Number).toReversed()
    const sum = digits.reduce((s, d, i) => s + (i % 2 === 0 ? d : d > 4 ? d * 2 - 9 : d * 2), 0)
    if (sum % 10 === 0) return true
  }
  return false
}

/** Replaces a text by none: all is selected, and the Delete key pressed. */
function clears({ kind, args }: Subject): boolean {
  const text = argument(args, 'text')
  return kind === 'type' && argument(args, 'mode') === 'replace' && typeof text === 'string' && /^(?:[\n\r\t]|$)/.test(text)
}

function pressedKeys(subject: Subject): string[] {
  const chords = subject.kind === 'key' ? [argument(subject.args, 'keys')].flat() : []
  const events = subject.kind === 'keys' ? [argument(subject.args, 'events')].flat() : []
  return [
    ...chords.flatMap((c) => (typeof c === 'string' ? (parseChord(c) ?? []) : [])),
    ...events.map((e) => argument(e, 'key')).filter((k) => typeof k === 'string'),
  ]
}

/** From which distance on an element counts as moved, and from which one a person is asked wherever medium risk asks. */
export const DRIFT_PX = 8
export const DRIFT_FAR_PX = 100
const OWN_LEXICON = lexiconOf([])
const HARMFUL: ReadonlySet<string> = new Set(COMMANDS)
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\/(?:[^/\\]|\\.)*\/?/g
const IDENTITY = /\b(?:automationId|runtimeId|legacyId|axId|atspiPath|sapId|virtualId|attr\.[\w-]+)\s*[\^$~]?=|^\s*sap:/
