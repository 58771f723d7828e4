import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import type { Approval, Result, Scope } from '@deskhand/core/model'
import { OPERATOR } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, seenTicking, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const PAY = 'role=button && name="Pay now"'
const PRESS = 'role=button && name="Press me"'
const NOTES = 'name="Notes"'
const BANK = fixture('pay_gtk3.py')
const CONTRACT = fixture('contract_gtk3.py')

const rule = (decision: string, priority: number, when: string): string =>
  `[[rule]]\ntoolName = "ui.click"\ndecision = "${decision}"\npriority = ${priority}\nwhen = { ${when} }\n`
const POLICY = [
  rule('ask_user', 500, 'name = ["Pay now", "Press me"]'),
  rule('deny', 600, 'runs = "**/pay_gtk3.py", role = "textbox"'),
  rule('deny', 600, 'app = "contract_gtk3", role = "checkbox"'),
  rule('deny', 600, 'name = "Notes", after = { tool = "ui.click", app = "pay_gtk3", within = 3600 }'),
].join('\n')

describeDesktop('two programs of one interpreter', () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-interpreters-'))
  const file = join(dir, 'paid')
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ policy: POLICY, ports: { approver: { expiryMs: 60_000 } } })
    await desk.show('Contract', PYTHON, [CONTRACT])
    await desk.show('Bank', PYTHON, [BANK, file])
    await seenTicking(desk)
  })
  afterAll(async () => {
    await desk.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const paid = (): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0)
  const click = (target: string): Promise<Result> => desk.call('ui.click', { target })

  /** Answers what a click asks; the question, or undefined where it went through unasked. What is allowed must be done. */
  async function asked(coming: Promise<Result>, answer: { allow: boolean; scope?: Scope }): Promise<Approval | undefined> {
    let isOver = false
    const over = coming.finally(() => (isOver = true))
    for (;;) {
      const [first] = await desk.session.invoke('approvals.list', {}, OPERATOR)
      if (first !== undefined) {
        await desk.session.invoke('approvals.answer', { id: first.id, ...answer }, OPERATOR)
        const { status, error } = await over
        expect(status, error?.message).toBe(answer.allow ? 'success' : 'error')
        return first
      }
      if (isOver) {
        const { status, error } = await over
        expect(status, error?.message).toBe('success')
        return undefined
      }
      await sleep(10)
    }
  }

  test('have one executable and two identities', async () => {
    const { apps } = await desk.driver.observe.read({}, within(20_000))
    const ours = apps.filter((a) => a.runs === BANK || a.runs === CONTRACT)
    expect(ours).toHaveLength(2)
    expect(new Set(ours.map((a) => a.runs))).toEqual(new Set([CONTRACT, BANK]))
    expect(new Set(ours.map((a) => a.executable))).toEqual(new Set([realpathSync(PYTHON)]))
    for (const { pid, runs = '' } of ours) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain(runs)
  })

  test('a sequence rule about the one does not look at the other', async () => {
    expect(await asked(click(PRESS), { allow: true })).toBeDefined()
    expect(await click(NOTES)).toMatchObject({ status: 'success' })
    expect(await asked(click(PAY), { allow: true })).toBeDefined()
    await expect.poll(paid).toBe(1)
    expect((await click(NOTES)).error?.code).toBe('DENIED')
  })

  test('a grant for the one does not hold for the other', async () => {
    const before = paid()
    const question = await asked(click(PAY), { allow: true, scope: 'app' })
    expect(question?.targets[0]?.app).toMatchObject({ executable: realpathSync(PYTHON), runs: BANK })
    expect((await desk.session.invoke('grants.list', {}, OPERATOR)).map((g) => g.apps)).toEqual([
      [`${realpathSync(PYTHON)} running ${BANK}`],
    ])
    expect(await asked(click(PAY), { allow: false })).toBeUndefined()
    await expect.poll(paid).toBe(before + 2)
    expect(await asked(click(PRESS), { allow: false })).toMatchObject({ tool: 'ui.click', targets: [{ app: { runs: CONTRACT } }] })
  })

  test('a rule for the one, by what runs or by its name, does not hold for the other', async () => {
    expect((await click('role=textbox && name="Amount"')).error?.code).toBe('DENIED')
    expect(await click('role=textbox && name="Name"')).toMatchObject({ status: 'success' })
    expect((await click('role=checkbox && name="Accept"')).error?.code).toBe('DENIED')
  })
})
