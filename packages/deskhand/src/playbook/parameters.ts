import { DeskhandError } from '@deskhand/core/errors'
import { linear } from '@deskhand/core/policy'
import { format, parse, type Expr, type Find, type Path, type Selector } from '@deskhand/core/selector'
import { bad, type Parameter, type Playbook, type PlaybookStep } from './format.ts'

/** `{name}` stands for a parameter, `{{name}}` for the text itself. */
const PLACE = /\{\{(\w+)\}\}|\{([a-z]\w*)\}/gi

type Values = ReadonlyMap<string, string>

/** The values of all parameters, each checked; what is not given has its default. Without any, each stands for itself. */
export function valuesOf({ parameters }: Playbook, given: Readonly<Record<string, string>> | undefined): Values {
  if (given === undefined) return new Map(Object.keys(parameters).map((name) => [name, name]))
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters, name))
  if (unknown !== undefined) throw wrong(`it has no parameter ${JSON.stringify(unknown)}`, parameters)
  return new Map(
    Object.entries(parameters).map(([name, parameter]) => {
      const value = Object.hasOwn(given, name) ? given[name] : parameter.default
      if (value === undefined) throw wrong(`the parameter ${name} is not given`, parameters)
      const problem = problemWith(parameter, value)
      if (problem !== undefined) throw wrong(`the value of ${name} ${problem}`, parameters)
      return [name, value]
    }),
  )
}

function problemWith({ pattern, multiline }: Parameter, value: string): string | undefined {
  if (!multiline && /\p{Cc}/u.test(value)) return 'has line breaks or control characters, which it may not have'
  if (pattern === undefined) return undefined
  return matcher(pattern).test(value) ? undefined : `does not match ${pattern}`
}

function matcher(pattern: string): ReturnType<typeof linear> {
  try {
    return linear(`^(?:${pattern})$`)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw bad(thrown.message)
    throw thrown
  }
}

/** A step with the values in place. They can be texts and parts of what a selector compares with, never more of a selector, a key or a name. */
export function bindStep(step: PlaybookStep, n: number, values: Values): PlaybookStep {
  const bind = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return bindText(value, key)
    if (Array.isArray(value)) return value.map((one) => bind(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, bind(v, k)]))
  }
  const bindText = (text: string, key: string): string => {
    if (SELECTORS.has(key) && /^e\d+(\s|$)/.test(text)) throw bad(`step ${n}: ${text} names an element of one session; use a selector`)
    if (!text.includes('{')) return text
    if (SELECTORS.has(key)) return bindSelector(text, `step ${n}: ${key}`, values)
    if (TEXTS.has(key)) return fill(text, `step ${n}`, values)
    if ([...text.matchAll(PLACE)].some(([, , name]) => name !== undefined)) throw bad(`step ${n}: no parameter can stand in ${key}`)
    return text
  }
  return { ...step, args: bind(step.args, '') as Record<string, unknown>, if: step.if && (bind(step.if, '') as Record<string, unknown>) }
}

/** Arguments that are selectors, and those that are texts. */
export const SELECTORS: ReadonlySet<string> = new Set(['target', 'selector', 'on', 'from', 'to', 'element', 'root'])
export const TEXTS: ReadonlySet<string> = new Set(['text', 'value', 'valueContains', 'name', 'title', 'titleContains', 'contains'])

/** The values go into what a parsed selector compares with, and are quoted anew. */
function bindSelector(text: string, at: string, values: Values): string {
  const parsed = parse(text, 'any')
  let filled = 0
  const into = (value: string): string => {
    filled += places(value)
    return fill(value, at, values)
  }
  const bound: Selector = { alternatives: parsed.alternatives.map((path) => bindPath(path, into)) }
  if (filled !== places(text)) throw bad(`${at}: a parameter stands outside of a quoted text`)
  return format(bound)
}

type Into = (value: string) => string

const bindPath = ({ first, links }: Path, into: Into): Path => ({
  first: bindFind(first, into),
  links: links.map((link) => (link.type === 'nth' ? link : { ...link, find: bindFind(link.find, into) })),
})

const bindFind = ({ prefix, expr }: Find, into: Into): Find => ({ prefix, expr: bindExpr(expr, into) })

function bindExpr(expr: Expr, into: Into): Expr {
  switch (expr.type) {
    case 'and':
    case 'or':
      return { ...expr, of: expr.of.map((one) => bindExpr(one, into)) }
    case 'not':
    case 'has':
      return { ...expr, of: bindExpr(expr.of, into) }
    case 'bare':
      return { ...expr, text: into(expr.text) }
    case 'text':
      return { ...expr, value: into(expr.value) }
    case 'role':
    case 'flag':
    case 'element':
    case 'regex':
      return expr
    default:
      return expr satisfies never
  }
}

const places = (text: string): number => [...text.matchAll(PLACE)].length

function fill(text: string, at: string, values: Values): string {
  return text.replaceAll(PLACE, (_, literal: string | undefined, name: string) => {
    if (literal !== undefined) return `{${literal}}`
    const value = values.get(name)
    if (value === undefined) throw bad(`${at}: there is no parameter {${name}}; {{${name}}} is the text itself`)
    return value
  })
}

/** What is wrong is not in the file, but in what was given to it. */
const wrong = (problem: string, parameters: Playbook['parameters']): DeskhandError => {
  const names = Object.keys(parameters)
  return new DeskhandError('BAD_ARGS', `the playbook cannot be run: ${problem}`, {
    next:
      names.length === 0
        ? 'It takes no values.'
        : `Give a value for each of ${names.join(', ')}: --with ${names[0]}=…, or with in play.run.`,
  })
}
