import { plainTool } from '../tools/batch.ts'
import { toolNamed } from '../tools/list.ts'
import { readPlaybook, type Score } from './steps.ts'

/** A playbook before it has values: whether it can be used, and what its steps are. */
export const shapeOf = (text: string): Score => readPlaybook(text, undefined, (tool) => plainTool(toolNamed, tool))
