import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { countsOf } from './counts.ts'
import { TaskDesk } from './desk.ts'
import { TASKS } from './list.ts'

const USAGE = `npm run tasks -- list              the tasks
npm run tasks -- start <id>        bring its desktop up; it stays until stop
npm run tasks -- check <id>        is it done, and what did it cost
npm run tasks -- stop <id>         take it down`

const ROOT = process.env['DESKHAND_TASKS'] ?? join(tmpdir(), 'deskhand-tasks')

/** The desktop tasks, for any agent. */
async function run(command: string | undefined, id: string | undefined): Promise<void> {
  if (command === 'list') {
    for (const task of TASKS)
      say(`${task.id.padEnd(22)} ${String(task.solution.length).padStart(2)} calls  ${task.instruction.split('\n')[0]}`)
    return
  }
  const task = TASKS.find((t) => t.id === id)
  if (task === undefined || command === undefined) throw new DeskhandError('BAD_ARGS', `unknown task ${id}\n${USAGE}`)
  const desk = new TaskDesk(task, join(ROOT, task.id))
  if (command === 'start') {
    await desk.start()
    say(`${task.instruction.replaceAll('~', desk.home.dir)}

The desktop of this task is up, and the program is open. Work on it through one of these only:
  shell        ${desk.command} --help   (what to know: ${desk.command} skill)
  MCP client   command ${desk.command}, argument mcp
  MCP by shell ${join(desk.dir, 'mcp-call')}   (tools and instructions; then: mcp-call ui.snapshot '{}')
When it is done: npm run tasks -- check ${task.id}`)
  } else if (command === 'check') {
    const wrong = desk.check()
    const { calls, failed, tokens, pictures, looksAfter } = countsOf(desk.tape)
    say(wrong.length === 0 ? 'pass' : `fail: not so: ${wrong.join('; ')}`)
    say(
      `${calls} calls (fewest ${task.solution.length}), ${failed} failed, ${tokens} tokens, ${pictures} pictures, ${looksAfter.length} looks after an action`,
    )
    for (const look of looksAfter) say(`  ${look}`)
    process.exitCode = wrong.length === 0 ? 0 : 1
  } else if (command === 'stop') desk.stop()
  else throw new DeskhandError('BAD_ARGS', USAGE)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  await run(process.argv[2], process.argv[3])
} catch (thrown) {
  const error = DeskhandError.from(thrown)
  process.stderr.write(`${error.message}\n${error.next}\n`)
  process.exitCode = 2
}
