import { describeDesktop } from '../support/desktop.ts'
import { testSolution } from './solved.ts'
import { TASKS } from './list.ts'

describeDesktop('every task', () => {
  for (const task of TASKS) for (const face of ['mcp', 'shell'] as const) testSolution(task, face)
})
