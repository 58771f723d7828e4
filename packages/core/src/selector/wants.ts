import { findsOf, type Expr, type Selector } from './ast.ts'
import { compile } from './compile.ts'
import { bareKey, type Prefixes } from './prefixes.ts'

/** What a selector needs from a recognizer of pixels. */
export interface Wanted {
  /** A step asks for recognised text. */
  ocr: boolean
  /** The texts that such steps look for as a whole. */
  texts: readonly string[]
  /** The pictures that steps look for. */
  images: readonly string[]
  /** A step asks for text of any kind: recognised text counts where no element has it. */
  fallback: boolean
}

/** What a selector needs recognised before it can be matched, in any of its alternatives. */
export function wants(selector: Selector | string, prefixes?: Prefixes): Wanted {
  const compiled = compile(selector, prefixes).selector
  let wanted = known.get(compiled)
  if (wanted === undefined) known.set(compiled, (wanted = wantsOf(compiled)))
  return wanted
}

const known = new WeakMap<Selector, Wanted>()

function wantsOf({ alternatives }: Selector): Wanted {
  const finds = alternatives.flatMap(findsOf)
  return {
    ocr: finds.some((find) => find.prefix === 'ocr'),
    texts: [...new Set(finds.flatMap((find) => (find.prefix === 'ocr' || find.prefix === 'any' ? textsIn(find.expr, find.prefix) : [])))],
    images: [...new Set(finds.flatMap((find) => (find.prefix === 'image' ? imagesIn(find.expr) : [])))],
    fallback: finds.some((find) => find.prefix === 'any' && readsText(find.expr)),
  }
}

/** What the elements say that a selector asks for, by their names or values. */
export function saidBy(selector: Selector | string, prefixes?: Prefixes): string[] {
  const said = (expr: Expr): string[] => {
    if (expr.type === 'and' || expr.type === 'or') return expr.of.flatMap(said)
    if (expr.type === 'has') return said(expr.of)
    if (expr.type === 'bare') return [expr.text]
    return expr.type === 'text' && expr.op !== '!=' && SAID.has(expr.key) && expr.value !== '' ? [expr.value] : []
  }
  return [
    ...new Set(
      compile(selector, prefixes)
        .selector.alternatives.flatMap(findsOf)
        .flatMap(({ expr }) => said(expr)),
    ),
  ]
}

const SAID: ReadonlySet<string> = new Set(['name', 'text', 'value'])

/** The alternatives before the first that asks for pixels; undefined where that is none of them, or all. */
export function beforePixels(selector: Selector | string, prefixes?: Prefixes): Selector | undefined {
  const { alternatives } = compile(selector, prefixes).selector
  if (alternatives.length === 1) return undefined
  const first = alternatives.findIndex((path) => findsOf(path).some((find) => find.prefix === 'ocr' || find.prefix === 'image'))
  return first > 0 ? { alternatives: alternatives.slice(0, first) } : undefined
}

/** Whether a step asks for a visible text, so that recognised text can answer it. */
export function readsText(expr: Expr): boolean {
  if (expr.type === 'and' || expr.type === 'or') return expr.of.some(readsText)
  return expr.type === 'bare' || ((expr.type === 'text' || expr.type === 'regex') && expr.key === 'text')
}

function textsIn(expr: Expr, prefix: string): string[] {
  if (expr.type === 'and' || expr.type === 'or') return expr.of.flatMap((part) => textsIn(part, prefix))
  if (expr.type === 'bare') return [expr.text]
  const isText = expr.type === 'text' && expr.op === '=' && (expr.key === 'text' || (expr.key === 'name' && prefix === 'ocr'))
  return isText ? [expr.value] : []
}

function imagesIn(expr: Expr): string[] {
  if (expr.type === 'and' || expr.type === 'or') return expr.of.flatMap(imagesIn)
  if (expr.type === 'not') return imagesIn(expr.of)
  if (expr.type === 'bare') return [expr.text]
  return expr.type === 'text' && expr.op === '=' && expr.key === bareKey('image') ? [expr.value] : []
}
