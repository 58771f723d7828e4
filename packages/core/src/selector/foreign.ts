import { toRole } from '../model/index.ts'
import { quote } from './quote.ts'

/**
 * What a selector in the manner of another tool says in this grammar: CSS, XPath, Playwright's engines and locators, a line copied from an
 * outline, conditions without their signs, plain words. Undefined where it cannot be told, or where `isSelector` refuses it.
 */
export function ourSpelling(text: string, isSelector: (text: string) => boolean): string | undefined {
  const input = text.trim().replace(/^(?:css|xpath)=/, '')
  if (input === '' || input.length > MAX_LENGTH) return undefined
  const spell = (theirs: string): string | undefined => {
    for (const read of [fromOutline, fromNearMiss, fromLocators, fromXPath, fromConditions, fromCss, fromWords]) {
      const spelling = read(theirs)
      if (spelling !== undefined && spelling !== text.trim() && isSelector(spelling)) return spelling
    }
    return undefined
  }
  return spell(input) ?? fromPath(input, (step) => (isSelector(step) ? step : spell(step)), isSelector)
}

const MAX_LENGTH = 300

/** Tags that say nothing of what an element is. */
const ANYTHING: ReadonlySet<string> = new Set(['*', 'div', 'span', 'node', 'element'])
// oxfmt-ignore
const TAGS: Record<string, string> = {
  a: 'link', input: 'textbox', h1: 'heading', h2: 'heading', h3: 'heading', p: 'paragraph', td: 'cell', tr: 'row', th: 'columnheader', li: 'listitem', ul: 'list', ol: 'list',
}
// oxfmt-ignore
const KEYS: Record<string, string> = {
  name: 'name', 'aria-label': 'name', title: 'name', alt: 'name', label: 'label', value: 'value', text: 'text', role: 'role', placeholder: 'description', id: 'attr.id', class: 'attr.class',
  app: 'app', window: 'window', automationid: 'automationId', description: 'description',
}
const FLAGS: Record<string, string> = { disabled: 'enabled=false', hidden: 'visible=false' }
const OWN_FLAG = /^(?:enabled|visible|focused|checked|selected|expanded|editable)$/

/** "e12 button "Save"" as an outline prints it, or an id in another tool's dress. */
function fromOutline(text: string): string | undefined {
  return /^(?:[@#]|(?:ref|id)=|\[(?:ref=)?)?(e\d+)\]?(?:\s+[a-z]+\b(?!\s*[=~^$*!]).*)?$/s.exec(text)?.[1]
}

/** This grammar but for a sign or two: role==button && !disabled, contains(name, "x"), role=row:nth(1), role=push button. */
function fromNearMiss(text: string): string | undefined {
  const parts = text.split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
  // A value is put in for its place again after the words around it are changed.
  const held = parts.map((part, i) => (i % 2 > 0 ? `\u0000${i}\u0000` : part)).join('')
  const mended = held
    .replaceAll(/\bcontains\(\s*@?(\w+)\s*,\s*([^()]+)\)/g, '$1~=$2')
    .replaceAll(/([~^$*!]?)==+/g, (_, sign: string) => `${sign}=`)
    .replaceAll(/%=/g, '~=')
    .replaceAll(/\s+and\s+/gi, ' && ')
    .replaceAll(/\s+or\s+/gi, ' || ')
    .replaceAll(/\bnot\s+(?=[a-z])/gi, '!')
    .replaceAll(/(?<![&])&(?!&)/g, '&&')
    .replaceAll(/\brole=([a-z]+) ([a-z]+)\b(?!\s*[=~^$*!])/gi, (all, one: string, two: string) => roleFor(`${one} ${two}`) ?? all)
    .replaceAll(
      /(?<![\w.=~])((?:!\s*)?)(disabled|hidden|enabled|visible|focused|checked|selected|expanded|editable)\b(?:\s*=\s*(true|false))?(?!\s*[=!])/gi,
      asFlag,
    )
    .replaceAll(/:nth\((-?\d+)\)/g, ' >> nth=$1')
  return mended === held ? undefined : mended.replaceAll(/\u0000(\d+)\u0000/g, (_, i: string) => parts[Number(i)] ?? '')
}

function asFlag(_: string, not: string, word: string, given = 'true'): string {
  const flag = word.toLowerCase()
  const is = (given === 'true') !== (not !== '')
  return flag === 'disabled' ? `enabled=${!is}` : flag === 'hidden' ? `visible=${!is}` : `${flag}=${is}`
}

/** Steps of which some are another tool's: button >> text=Send, e5 > role=cell, role=row >> last */
function fromPath(text: string, spell: (step: string) => string | undefined, isSelector: (text: string) => boolean): string | undefined {
  const steps = text.replace(/^(e\d+)\s+(?=[a-z])/, '$1 >> ').split(/\s*>>?\s*(?=(?:[^"']|"[^"]*"|'[^']*')*$)/)
  if (steps.length < 2 || steps.includes('')) return undefined
  const ours = steps.map((step, i) => (i > 0 ? (positionFor(step) ?? spell(step)) : spell(step)))
  const path = ours.join(' >> ')
  return ours.includes(undefined) || !isSelector(path) ? undefined : path
}

/** last, first, nth(1) */
function positionFor(step: string): string | undefined {
  const [, word = '', index] = /^(first|last|nth)\b\s*[=(]?\s*(-?\d+)?\s*\)?$/.exec(step) ?? []
  return word === '' ? undefined : word === 'nth' ? index && `nth=${index}` : `nth=${word === 'first' ? 0 : -1}`
}

/** page.getByRole('button', { name: 'Save' }).first() */
function fromLocators(text: string): string | undefined {
  const calls = [...text.matchAll(/\.?(\w+)\(((?:"[^"]*"|'[^']*'|\/[^/]*\/|[^()"'/])*)\)/g)]
  if (!/(?:getBy\w+|locator)\(/.test(text) || calls.length === 0) return undefined
  const steps: string[] = []
  for (const [, call = '', args = ''] of calls) {
    const value = valueIn(args)
    const contains = /exact\s*:\s*true/.test(args) ? '=' : '~='
    if (call === 'getByRole') {
      const name = /name\s*:\s*(.+?)\s*[,}]/s.exec(args)?.[1]
      steps.push(joined([roleFor(bare(value)), name && `name${name.startsWith('/') ? '~=' : contains}${valueIn(name)}`]) ?? '')
    } else if (call === 'getByText') steps.push(`text${contains}${value}`)
    else if (call === 'getByLabel') steps.push(`label${contains}${value}`)
    else if (call === 'getByPlaceholder') steps.push(`description${contains}${value}`)
    else if (call === 'getByTitle' || call === 'getByAltText') steps.push(`name${contains}${value}`)
    else if (call === 'getByTestId') steps.push(`automationId=${value}`)
    else if (call === 'locator') steps.push(fromXPath(bare(value)) ?? fromCss(bare(value)) ?? '')
    else if (call === 'first') steps.push('nth=0')
    else if (call === 'last') steps.push('nth=-1')
    else if (call === 'nth') steps.push(`nth=${args.trim()}`)
  }
  return steps.filter((s) => s !== '').join(' >> ')
}

/** //row[2]/cell[contains(@name, "x")] */
function fromXPath(text: string): string | undefined {
  const path = text.replace(/^\((.*)\)$/s, '$1')
  if (!/^\.?\/\/?[\w*]/.test(path)) return undefined
  const steps: string[] = []
  for (const [, tag = '', predicates = ''] of path.matchAll(/\/([\w*:-]+)((?:\[(?:"[^"]*"|'[^']*'|[^\]"'])*\])*)/g)) {
    const parts = [roleFor(tag)]
    let nth = ''
    for (const [, inside = ''] of predicates.matchAll(/\[((?:"[^"]*"|'[^']*'|[^\]"'])*)\]/g)) {
      if (/^\d+$/.test(inside)) nth = ` >> nth=${Number(inside) - 1}`
      else if (inside === 'last()') nth = ' >> nth=-1'
      else for (const one of inside.split(' and ')) parts.push(predicate(one.trim()))
    }
    steps.push((joined(parts) ?? '') + nth)
  }
  return steps.filter((s) => s !== '').join(' >> ')
}

function predicate(text: string): string | undefined {
  const part = /^(contains|starts-with)\(\s*(?:@([\w-]+)|text\(\)|\.)\s*,\s*(.+)\)$/s.exec(text)
  if (part) return condition(part[2] ?? 'text', part[1] === 'contains' ? '~=' : '^=', part[3] ?? '')
  const whole = /^(?:@([\w-]+)|text\(\)|\.|normalize-space\([^)]*\))\s*(!?=)\s*(.+)$/s.exec(text)
  return whole ? condition(whole[1] ?? 'text', whole[2] ?? '=', whole[3] ?? '') : undefined
}

/** role=button name="Save", role: button, name: Save, and a role beside a name: button "Save" */
function fromConditions(text: string): string | undefined {
  const beside = /^([A-Za-z][\w -]*?):?\s*("[^"]*"|'[^']*')$/.exec(text)
  if (beside && toRole(beside[1] ?? '')) return `${roleFor(beside[1])} && name=${valueIn(beside[2] ?? '')}`
  const plain = /^\{.*\}$/s.test(text) ? text.slice(1, -1) : text
  const found = [...plain.matchAll(/["']?([A-Za-z-]+)["']?\s*(=|:|[~^$*!]=)\s*("[^"]*"|'[^']*'|\/(?:[^/\\]|\\.)+\/\w*|[^\s"',&|[\]]+)/g)]
  const left = found.reduce((rest, [all]) => rest.replace(all, ''), plain)
  if (found.length === 0 || !/^(?:[\s,&[\]]|\band\b|\bAND\b)*$/.test(left)) return undefined
  // A colon stands in CSS, too.
  if (found.some(([, key = '', op]) => op === ':' && KEYS[key.toLowerCase()] === undefined && !OWN_FLAG.test(key))) return undefined
  const conditions = found.map(([, key = '', op = '', value = '']) => condition(key, op === ':' ? '=' : op, value))
  return conditions.includes(undefined) ? undefined : joined(conditions)
}

/** button.primary[name="Save"]:has-text("x") > a, also what other engines prefix */
function fromCss(text: string): string | undefined {
  const steps: string[] = []
  const unmatched = text.replaceAll(COMPOUND, (all: string) => {
    if (all.trim() !== '') steps.push(compound(all) ?? '')
    return ''
  })
  if (steps.length === 0 || !/^[\s>+~]*$/.test(unmatched) || !/[#.[:>*]/.test(text)) return undefined
  return steps.filter((s) => s !== '').join(' >> ')
}

const COMPOUND =
  /(?:[A-Za-z*][\w-]*)?(?:#[\w-]+|\.[\w-]+|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|::?[\w-]+(?:\((?:"[^"]*"|'[^']*'|\([^)]*\)|[^()"'])*\))?)*/g

function compound(text: string): string | undefined {
  const [tag = ''] = /^[A-Za-z*][\w-]*/.exec(text) ?? []
  const parts: (string | undefined)[] = []
  let nth = ''
  let kind = roleFor(tag)
  for (const [all, pseudo, args = ''] of text.slice(tag.length).matchAll(PIECE)) {
    if (all.startsWith('#')) parts.push(`attr.id=${quote(all.slice(1))}`)
    else if (all.startsWith('.')) parts.push(`attr.class~=${quote(all.slice(1))}`)
    else if (all.startsWith('[')) {
      const [, key = '', op = '=', value] = /^\[\s*@?([\w-]+)\s*(?:([*^$~|]?=)\s*(.+?))?\s*i?\]$/s.exec(all) ?? []
      if (key === 'type' && value !== undefined) kind = roleFor(bare(valueIn(value))) ?? kind
      else parts.push(value === undefined ? (FLAGS[key] ?? (OWN_FLAG.test(key) ? `${key}=true` : undefined)) : condition(key, op, value))
    } else if (pseudo === 'has-text' || pseudo === 'text' || pseudo === 'contains') parts.push(`text~=${valueIn(args)}`)
    else if (pseudo === 'text-is') parts.push(`text=${valueIn(args)}`)
    else if (pseudo === 'has') parts.push(`has(${fromConditions(args) ?? fromCss(args) ?? compound(args) ?? ''})`)
    else if (pseudo !== undefined && OWN_FLAG.test(pseudo)) parts.push(`${pseudo}=true`)
    else if (pseudo !== undefined && FLAGS[pseudo]) parts.push(FLAGS[pseudo])
    else if (pseudo?.startsWith('first')) nth = ' >> nth=0'
    else if (pseudo?.startsWith('last')) nth = ' >> nth=-1'
    else if (pseudo?.startsWith('nth')) nth = ` >> nth=${Number(args) - (pseudo === 'nth' ? 0 : 1)}`
  }
  const all = joined([kind, ...parts])
  return all && all + nth
}

const PIECE = /#[\w-]+|\.[\w-]+|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|::?([\w-]+)(?:\(((?:"[^"]*"|'[^']*'|\([^)]*\)|[^()"'])*)\))?/g

/** Words that are no condition are most likely a name: Save As… */
function fromWords(text: string): string | undefined {
  const [, key = '', value = ''] = /^(text|name|label|value|title)=(?!["'/])(.+)$/s.exec(text) ?? []
  if (key !== '') return `${KEYS[key] ?? key}${key === 'text' ? '~=' : '='}${quote(value)}`
  if (!/^[\p{L}\p{N}][^=<>|&(){}[\]"]*$/u.test(text)) return undefined
  // Edit is most likely what a button or a menu is called, edit the kind of a field.
  const role = /^\p{Lu}\p{Ll}/u.test(text) ? undefined : roleFor(text)
  return role ?? `name=${quote(text)}`
}

function condition(key: string, op: string, value: string): string | undefined {
  if (key.toLowerCase() === 'type') return roleFor(bare(valueIn(value)))
  if (NOT_OF_ELEMENTS.test(key)) return undefined
  const ours = KEYS[key.toLowerCase()] ?? (OWN_FLAG.test(key) ? key : `attr.${key}`)
  if (ours === 'role') return roleFor(bare(valueIn(value)))
  const written = OWN_FLAG.test(ours) ? bare(valueIn(value)) : valueIn(value)
  return `${ours}${written.startsWith('/') || op === '*=' || op === '|=' ? '~=' : op}${written}`
}

/** What is said of elements by their place in a selector. */
const NOT_OF_ELEMENTS = /^(?:nth|parent|within|inside|index)$/i

function roleFor(word: string | undefined): string | undefined {
  if (word === undefined || word === '' || ANYTHING.has(word)) return undefined
  const role = TAGS[word.toLowerCase()] ?? toRole(word)
  return role === undefined ? undefined : `role=${role}`
}

/** The first value of a list of arguments, quoted as this grammar does; a regular expression stays one. */
function valueIn(args: string): string {
  const text = args.trim()
  const regex = /^\/(?:[^/\\]|\\.)+\/[ims]*/.exec(text)?.[0]
  if (regex !== undefined) return regex
  const [, double, single] = /^"([^"]*)"|^'([^']*)'/.exec(text) ?? []
  return quote(double ?? single ?? text)
}

const bare = (value: string): string => value.replaceAll(/^"|"$/g, '')

function joined(parts: readonly (string | undefined)[]): string | undefined {
  const there = [...new Set(parts.filter((p) => p !== undefined && p !== ''))]
  return there.length === 0 ? undefined : there.join(' && ')
}
