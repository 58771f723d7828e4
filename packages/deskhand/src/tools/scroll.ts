import { DeskhandError } from '@deskhand/core/errors'
import { ACTIONS, ending, Target, type Result } from '@deskhand/core/model'
import { isSeen, matchesOf, type Found } from './found.ts'
import { composedTool, type ComposedTool, type Perform } from './tool.ts'

/** How often the wheel is turned in search of something, and how far each time. */
const TURNS = 60
const NOTCHES = 5

/** Turns the wheel over an element: so far, or until something is in view. */
export const scrollTool: ComposedTool = {
  ...composedTool(
    {
      name: 'ui.scroll',
      toolset: 'ui',
      description:
        'Turn the wheel over an element; deltas are notches, positive is right and down. With until, until that element is in view (down, then up).',
      input: ACTIONS.scroll.extend({ until: Target.optional().describe('bring this into view') }),
      readOnly: false,
    },
    async (act, { until, ...args }) => (until === undefined ? act('scroll', args) : scrollUntil(act, until, args.target)),
  ),
  tells: 'record',
}

async function scrollUntil(act: Perform, until: Target, over: Target | undefined): Promise<Result> {
  const there = await find(act, until)
  if (there.error !== undefined) return there.error
  if (there.found !== undefined) return bringIn(act, there.found, over)
  let last: Result | undefined
  for (const way of [NOTCHES, -NOTCHES]) {
    for (let turn = 0; turn < TURNS; turn++) {
      last = await act('scroll', { target: over, deltaY: way })
      if (last.error !== undefined) return last
      const now = await find(act, until)
      if (now.error !== undefined) return now.error
      if (now.found !== undefined && isSeen(now.found)) return inView(last, now.found)
      if (last.effect === 'no_effect') break
    }
  }
  const error = new DeskhandError('NOT_FOUND', 'it is nowhere in what can be scrolled here')
  return ending({ ...(last ?? EMPTY), status: 'error', error: error.toJSON() })
}

/** What is in the tree already comes into view by itself, or with the wheel. */
async function bringIn(act: Perform, found: Found, over: Target | undefined): Promise<Result> {
  if (isSeen(found)) return inView(EMPTY, found)
  const hovered = await act('hover', { target: found.elementId })
  return hovered.error === undefined ? inView(hovered, found) : act('scroll', { target: over ?? found.elementId, deltaY: NOTCHES })
}

async function find(act: Perform, target: Target): Promise<{ found?: Found; error?: Result }> {
  if (!('selector' in target)) {
    const { data, error } = await act('describe', { element: target })
    return error === undefined ? { found: { ...(data as Found), elementId: target.elementId } } : {}
  }
  const looked = await act('query', { selector: target.selector, limit: 20 })
  if (looked.error !== undefined) return { error: looked }
  const matches = matchesOf(looked)
  return { found: matches.find(isSeen) ?? matches[0] }
}

const EMPTY = ending({ status: 'success', op: '', sent: 'none', effect: 'none' })

const inView = (result: Result, { elementId, role }: Found): Result => ({ ...result, text: `${elementId} ${role} is in view` })
