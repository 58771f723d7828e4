import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { TASKS } from './list.ts'
import { testSolution } from './solved.ts'
import { Home, type Task } from './task.ts'

describe('the judge of', () => {
  for (const task of TASKS) {
    test(`${task.id} does not take the untouched state, nor a wrong one`, () => {
      expect(judged(task, () => {})).not.toEqual([])
      for (const [name, make] of Object.entries(task.wrong)) expect(judged(task, make), name).not.toEqual([])
    })
  }
})

describeDesktop('a scripted agent', () => {
  const tasks = [
    ['mousepad-replace', 'shell'],
    ['terminal-answers', 'mcp'],
    ['thunar-rename', 'mcp'],
  ] as const
  for (const [id, face] of tasks)
    testSolution(
      TASKS.find((task) => task.id === id)!,
      face,
    )
})

/** What the judge says about a home that was prepared and then left in this state. */
function judged(task: Task, make: (home: Home) => void): string[] {
  const home = new Home(mkdtempSync(join(tmpdir(), 'dh-home-')))
  try {
    task.prepare?.(home)
    make(home)
    return task.check(home)
  } finally {
    rmSync(home.dir, { recursive: true })
  }
}
