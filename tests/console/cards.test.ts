import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { use } from '../support/cli.ts'
import { serious } from '../support/axe.ts'
import { ConsoleWorld } from '../support/console.ts'
import { element, window } from '../support/desk.ts'
import { handled } from '../support/handled.ts'

const count = (into: string) => ({ attributes: { on: { click: [{ do: 'increment', element: into, format: '{}' }] } } })
const UI = {
  windows: [
    window('Shop', [
      element('label', 'n', { value: 0 }),
      element('text_field', 'Name', { value: '' }),
      element('checkbox', 'Gift'),
      element('button', 'Order', count('label_n')),
      element('button', 'Again', count('label_n')),
      element('button', 'Delete all and pay now', count('label_n')),
    ]),
  ],
}
const RULES = `
[[rule]]
name = "clicks ask"
toolName = "ui.click"
decision = "ask_user"
priority = 600
when = { risk = ["low", "medium", "high"] }
`
const click = (name: string) => ({ target: `name="${name}"` })

/** The console on the shop, with questions that live so long. */
const openShop = (config = '[approvals]\nwaitSeconds = 120\n'): Promise<ConsoleWorld> =>
  ConsoleWorld.open(RULES, config, {}, async (state) => {
    const file = join(dirname(state), 'shop.json')
    await writeFile(file, JSON.stringify(UI))
    return ['--ui', file]
  })

const card = (on: ConsoleWorld, text: string) => on.page.getByRole('article').filter({ hasText: text })
/** Answers count only after the card has stood still for a while. */
const settle = (on: ConsoleWorld) => on.page.waitForTimeout(900)
const waiting = async (on: ConsoleWorld) => JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as { id: string }[]

describe('a question card', () => {
  let on: ConsoleWorld
  beforeAll(async () => void (on = await openShop()))
  beforeEach(() => on.page.goto(on.up.ready.url))
  afterAll(() => on?.end())

  /** How often Order or Again was pressed; the label is called n before that. */
  const counted = async (): Promise<number> => {
    const { data } = await on.call('ui.query', { selector: 'role=label' })
    return Number((data as { matches: [{ name: string }] }).matches[0].name) || 0
  }

  test('says what a longer answer covers before it is given, and the grant is exactly that', async () => {
    const asked = handled(on.call('ui.click', click('Gift')))
    const gift = card(on, 'Gift')
    await expect.poll(() => gift.textContent()).toMatch(/agent in shopWhy.*clicks ask rules\.toml:2/)
    expect(await gift.locator('.ring .rest').count()).toBe(1)
    expect(await gift.getByRole('timer').textContent()).toMatch(/^refused in \d:\d\d$/)
    await gift.getByRole('button', { name: 'Allow for longer' }).click()
    const item = on.page.getByRole('menuitem', { name: /-risk clicks in (?!every)\S+, 1 hour/ })
    expect(await item.textContent()).toMatch(/ui\.click in \S+, up to (low|medium) risk, 500 times, for 1 hour/)
    expect(await on.page.getByRole('menuitem', { name: /-risk clicks in every application, 8 hours/ }).textContent()).toMatch(
      /every application of this session.*for 8 hours/,
    )
    expect(await serious(on.page)).toEqual([])
    await settle(on)
    await item.click()
    expect(await asked).toMatchObject({ effect: 'confirmed' })
    expect(await on.call('ui.click', click('Gift'))).toMatchObject({ effect: 'confirmed' })
    const [grant] = JSON.parse((await on.world.run(['grants', 'list', '--json'])).out) as [{ id: string; tools: string[]; left: number }]
    expect(grant).toMatchObject({ tools: ['ui.click'], left: 499 })

    await on.page.goto(`${on.up.ready.url}/policy`)
    const standing = on.page.getByRole('region', { name: 'Standing permissions' })
    await expect.poll(() => standing.textContent()).toMatch(/499 more.*0:59:|499 more.*59:/)
    await standing.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(async () => JSON.parse((await on.world.run(['grants', 'list', '--json'])).out)).toEqual([])
  })

  test('whose picture comes late cannot be answered until its buttons have stood still again', async () => {
    let show: () => void = () => {}
    const late = new Promise<void>((done) => (show = done))
    await on.page.route('**/approvals/*/picture', async (route) => {
      await late
      await route.continue()
    })
    const asked = handled(on.call('ui.click', click('Order')))
    const order = card(on, 'Order')
    const allow = order.getByRole('button', { name: 'Allow once' })
    await allow.waitFor()
    await settle(on)
    // Clicked by the page itself, a frame after the button moved: on a busy machine a pointer came too late for its half second.
    const clicked = on.page.evaluate(`new Promise((done) => {
      const button = document.querySelector('.card .foot .primary')
      const top = () => button.getBoundingClientRect().top
      const before = top()
      const look = () => requestAnimationFrame(top() === before ? look : () => done(button.click()))
      look()
    })`)
    show()
    await clicked
    await order.getByText('did not count', { exact: false }).waitFor()
    expect(await waiting(on)).toHaveLength(1)
    await on.page.unrouteAll()
    await on.world.run(['approvals', 'deny', (await waiting(on))[0]!.id])
    expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  })

  test('is answered by no key while the menu of longer answers is open', async () => {
    const asked = handled(on.call('ui.click', click('Order')))
    const order = card(on, 'Order')
    await order.getByRole('button', { name: 'Allow for longer' }).waitFor()
    await settle(on)
    await order.getByRole('button', { name: 'Allow for longer' }).click()
    await on.page.getByRole('menuitem', { name: /-risk clicks in every application/ }).waitFor()
    await settle(on)
    await on.page.keyboard.press('a')
    await on.page.waitForTimeout(500)
    expect(await waiting(on)).toHaveLength(1)
    await on.world.run(['approvals', 'deny', (await waiting(on))[0]!.id])
    expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  })

  test('of something risky offers no longer answer', async () => {
    const asked = handled(on.call('ui.click', click('Delete all and pay now')))
    const risky = card(on, 'Delete all and pay now')
    await expect.poll(() => risky.textContent()).toContain('high risk')
    expect(await risky.getByRole('button', { name: 'Allow for longer' }).count()).toBe(0)
    expect(await serious(on.page)).toEqual([])
    await on.world.run(['approvals', 'deny', (await waiting(on))[0]!.id])
    expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
  })

  test('whose target changed says so, and can neither be clicked nor answered by a key', async () => {
    const before = await counted()
    const asked = handled(on.call('ui.click', click('Order')))
    const order = card(on, 'Order')
    await order.getByRole('button', { name: 'Allow once' }).waitFor()
    await on.call('ui.type', { ...click('Name'), text: 'somebody else' })
    await order.getByText('Void', { exact: true }).waitFor()
    expect(await order.getByRole('button', { name: 'Allow once' }).count()).toBe(0)
    await settle(on)
    await on.page.keyboard.press('a')
    expect(await asked).toMatchObject({ status: 'error' })
    expect(await counted()).toBe(before)
  })

  test('of a plan shows each step with what is known of it, and what is agreed to is done', async () => {
    const before = await counted()
    const agent = await on.world.mcp()
    const actions = ['Gift', 'Order', 'Again'].map((name) => ({ tool: 'ui.click', args: click(name) }))
    const rehearsed = use(agent, 'plan.rehearse', { actions, ask: true })
    const plan = card(on, 'plan')
    const steps = plan.getByRole('list', { name: 'Steps of the plan' }).getByRole('listitem')
    await expect.poll(() => steps.count()).toBe(3)
    expect(await steps.allTextContents()).toEqual([
      expect.stringMatching(/Gift.*covered by this answer/),
      expect.stringMatching(/Order.*covered by this answer/),
      expect.stringMatching(/Again.*asked later.*step 2/),
    ])
    expect(await plan.locator('.cover').textContent()).toContain('2 of these 3 steps')
    // They are numbered on the picture, too.
    await expect.poll(() => on.page.locator('.box.asked span').allTextContents()).toEqual(['1', '2', '3'])
    await settle(on)
    await plan.getByRole('button', { name: 'Allow steps 1–2' }).click()
    const { record } = await rehearsed
    const op = record['op'] as string
    if (record['status'] !== 'success') await use(agent, 'op.wait', { op })
    for (const { tool, args } of actions.slice(0, 2)) expect((await use(agent, tool, args)).record).toMatchObject({ sent: 'all' })
    expect(await counted()).toBe(before + 1)
  })

  test('of a script’s own question has the script’s answers, and the script reads the one that was given', async () => {
    const script = 'import pyautogui\nprint(pyautogui.confirm("Send it?", buttons=["Now", "Later"]), pyautogui.prompt("To whom?"))\n'
    const ran = handled(on.call('script.run', { script }))
    const first = card(on, 'Send it?')
    await first.getByRole('button', { name: 'Later' }).waitFor()
    await settle(on)
    await first.getByRole('button', { name: 'Later' }).click()
    const second = card(on, 'To whom?')
    await second.getByRole('textbox').fill('Ada')
    await settle(on)
    await second.getByRole('button', { name: 'Answer', exact: true }).click()
    expect((await ran).data).toMatchObject({ output: 'Later Ada\n' })
    expect(JSON.stringify(await on.journal())).not.toContain('Ada')
  })
})

test('a card whose time is over says that it expired, and the call was not made', async () => {
  const on = await openShop('[approvals]\nexpirySeconds = 3\n')
  try {
    const asked = handled(on.call('ui.click', click('Order')))
    await card(on, 'Order').getByRole('button', { name: 'Allow once' }).waitFor()
    await card(on, 'Order').getByText('Expired').waitFor()
    expect(
      await card(on, 'Order')
        .getByRole('button', { name: /Allow|Deny/ })
        .count(),
    ).toBe(0)
    expect(await asked).toMatchObject({ error: { code: 'APPROVAL_EXPIRED' } })
    expect(await on.found('role=label && name="n"')).toBe(true)
  } finally {
    await on.end()
  }
})
