import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { use } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const TIMES = Number(process.env['DESKHAND_TIMES'] ?? 30)
const BUSY = 6

describeDesktop('on a busy machine', { timeout: 3_600_000 }, () => {
  let desk: AppDesk
  let load: ChildProcess[]
  beforeAll(async () => {
    desk = await AppDesk.open({ width: 1280, height: 900 })
    load = Array.from({ length: BUSY }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }))
  }, 120_000)
  afterEach(() => desk.clear(), 120_000)
  afterAll(async () => {
    for (const one of load) one.kill('SIGKILL')
    await desk.close()
  }, 120_000)

  /** What the kernel says of a process's main thread: R computes, or would if it had a processor. */
  const stateOf = (pid: number): string | undefined => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2)[0]
  }
  const appsCalled = async (name: string): Promise<number[]> =>
    ((await desk.use('desktop.list'))['data'] as { applications: { pid: number; executable?: string }[] }).applications
      .filter((a) => a.executable?.includes(name) === true)
      .map((a) => a.pid)
  /** It mostly waits for what comes next. Its processor time would say nothing: a program that computes for ever gets little of it here. */
  const rests = async (pid: number): Promise<boolean> => {
    let waits = 0
    for (let i = 0; i < 20; i++, await sleep(50)) if (stateOf(pid) === 'S') waits++
    return waits >= 15
  }
  /** Whether everything there is answers. */
  const allAnswer = async (): Promise<boolean> => !(await use(desk.client, 'ui.snapshot')).text.includes('does not answer')

  test(`LibreOffice Calc opens a file ${TIMES} times while it is looked at, and never hangs`, async () => {
    const file = join(desk.world.dir, 'numbers.csv')
    writeFileSync(file, Array.from({ length: 200 }, (_, i) => `${i},Name ${i},${i * 7}`).join('\n'))
    for (let i = 0; i < TIMES; i++) {
      desk.start('soffice', '--calc', '--norestore', '--nologo', '--nofirststartwizard', '--infilter=CSV:44,34,76', file)
      await expect
        .poll(
          async () => {
            await use(desk.client, 'ui.snapshot')
            const { record } = await use(desk.client, 'ui.query', { selector: 'role=cell && name="A1"' })
            return JSON.stringify(record['data'] ?? {})
          },
          { timeout: 240_000, interval: 50 },
        )
        .toContain('"name":"A1"')
      const [pid = 0] = await appsCalled('soffice')
      await expect.poll(() => rests(pid), { timeout: 240_000, message: `run ${i + 1}: it computes for ever` }).toBe(true)
      await expect.poll(allAnswer, { timeout: 60_000, message: `run ${i + 1}: it does not answer` }).toBe(true)
      await desk.clear()
    }
  })

  test(`a GTK program opens the dialog that its handler waits for ${TIMES} times, and never hangs`, async () => {
    desk.start(PYTHON, fixture('modal_gtk3.py'))
    await desk.shows('role=button && name="Ask me"')
    for (let i = 0; i < TIMES; i++) {
      await desk.click('role=menu && name="Tools"')
      await desk.click('role=menuitem && name="Ask"')
      await desk.shows('window="Really" >> role=button && name="OK"')
      await desk.click('window="Really" >> role=button && name="OK"')
      await desk.wait({ window: { title: 'Really', present: false } })
      await expect.poll(allAnswer, { timeout: 60_000, message: `run ${i + 1}: it does not answer` }).toBe(true)
    }
  })
})
