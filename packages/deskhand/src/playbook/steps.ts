import { DeskhandError } from '@deskhand/core/errors'
import type { PlaybookStamp } from '@deskhand/core/model'
import type { Step, StepTool } from '../tools/step-run.ts'
import { bad, parsePlaybook, readCondition, type Playbook } from './format.ts'
import { bindStep, valuesOf } from './parameters.ts'
import { readSeal } from './signature.ts'

/** A playbook that is ready to be carried out. */
export interface Score {
  playbook: Playbook
  stamp: PlaybookStamp
  steps: Step[]
}

/** Reads a playbook's file: what it is, who signed it, and its steps with the values in place; without values only their shape counts. `stepTool` knows the tools. */
export function readPlaybook(
  file: string,
  given: Readonly<Record<string, string>> | undefined,
  stepTool: (name: string) => StepTool,
): Score {
  const { text, sha256, signer } = readSeal(file)
  const playbook = parsePlaybook(text)
  const values = valuesOf(playbook, given)
  const steps = playbook.step.map((written, i): Step => {
    const n = i + 1
    const { tool: name, args, if: condition, expect: expects } = bindStep(written, n, values)
    const tool = toolFor(name, n, stepTool)
    if (NAMELESS.has(tool.name) || Object.values(args).some(isPlace)) throw bad(`step ${n}: names a place on the screen, not an element`)
    return { tool, args, if: condition && readCondition(n, condition), expects }
  })
  return { playbook, steps, stamp: { name: playbook.name, sha256, signer } }
}

function toolFor(name: string, n: number, stepTool: (name: string) => StepTool): StepTool {
  let tool: StepTool
  try {
    tool = stepTool(name)
  } catch (thrown) {
    throw bad(`step ${n}: ${DeskhandError.from(thrown).message}`)
  }
  if (tool.toolset !== 'ui' && tool.toolset !== 'desktop') throw bad(`step ${n}: ${name} cannot be a step; use ui.* and desktop.*`)
  return tool
}

/** A playbook names elements: what lies at a place is another thing tomorrow. */
const NAMELESS: ReadonlySet<string> = new Set(['ui.click_xy'])
const isPlace = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'x' in value && 'y' in value && !('width' in value)
