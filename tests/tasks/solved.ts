import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noteQuestions } from '../support/questions.ts'
import { countsOf } from './counts.ts'
import { TaskDesk } from './desk.ts'
import { solve, type Face } from './solve.ts'
import type { Task } from './task.ts'

/** The scripted solution of a task ends right, with the calls that it says; the untouched desktop does not. */
export function testSolution(task: Task, face: Face): void {
  test(`${task.id} is done in ${task.solution.length} calls by ${face === 'mcp' ? 'MCP' : 'short commands'}`, async () => {
    const desk = new TaskDesk(task, mkdtempSync(join(tmpdir(), 'dh-task-')))
    try {
      await desk.start()
      expect(desk.check()).not.toEqual([])
      const said = await solve(desk, face)
      // What was saved may still be on its way to the disk.
      await expect.poll(() => desk.check(), { message: said, timeout: 10_000 }).toEqual([])
      expect(countsOf(desk.tape)).toMatchObject({ calls: task.solution.length, failed: 0 })
      await noteQuestions(task.id, desk.journal)
    } finally {
      desk.stop()
    }
  })
}
