import { DeskhandError, type ErrorCode } from '@deskhand/core/errors'
import { parseAction } from '@deskhand/core/model'
import { parse, type Prefixes } from '@deskhand/core/selector'
import type { Step } from './step-run.ts'

/** What no step can be carried out with is found before the first one is. `prefixes` are those of the desktop. */
export function mustBeReadable(steps: readonly Step[], prefixes: Prefixes): void {
  for (const [i, { tool, args }] of steps.entries()) {
    const refuse = (code: ErrorCode, problem: string, next?: string): never => {
      throw new DeskhandError(code, `step ${i + 1}: ${problem}; nothing was sent`, { next })
    }
    const read = 'kind' in tool ? parseAction(tool.kind, args) : undefined
    if (read?.ok === false) refuse('BAD_ARGS', `${tool.name}: ${read.problems.join('; ')}`)
    for (const selector of selectorsIn(args)) {
      try {
        parse(selector, prefixes)
      } catch (thrown) {
        const { code, message, next } = DeskhandError.from(thrown)
        refuse(code, message, next)
      }
    }
  }
}

function selectorsIn({ target, on, from, to, fields }: Step['args']): string[] {
  const inFields = Array.isArray(fields) ? fields.map((field: unknown) => Object(field)['target'] as unknown) : []
  return [target, on, from, to, ...inFields].flatMap((one) => {
    const selector: unknown = typeof one === 'string' ? one : Object(one)['selector']
    // A name that an extension brings is put in place when its step comes.
    return typeof selector === 'string' && !/^e\d+$|\bapp:/.test(selector) ? [selector] : []
  })
}
