import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Approval, Plan, Principal, Result } from '@deskhand/core/model'
import type { VirtualDriver } from '@deskhand/driver-virtual'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { desk, element, OPERATOR, window, type TestDesk } from '../support/desk.ts'

const counting = (...more: unknown[]): Record<string, unknown> => ({
  attributes: { on: { click: [{ do: 'increment', element: 'label_n', format: '{}' }, ...more] } },
})
const UI = {
  windows: [
    window('Shop', [
      element('label', 'n', { value: 0 }),
      element('text_field', 'Customer'),
      element('checkbox', 'Gift'),
      element('button', 'Order', counting()),
      element('button', 'Again', counting()),
      element('button', 'Delete all', counting()),
    ]),
    window('Notes', [element('text_field', 'Page'), element('button', 'Keep', counting())]),
  ],
}
const ASK = '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n'
const OTHER: Principal = { id: 'other', role: 'agent' }

const click = (name: string): { tool: string; args: { target: string } } => ({ tool: 'ui.click', args: { target: `name="${name}"` } })
const type = (text: string): { tool: string; args: object } => ({ tool: 'ui.type', args: { target: 'name="Customer"', text } })

/** Whatever is tried, this is what it achieved. */
const clicks = (driver: VirtualDriver): string => driver.describe()[0]?.children?.[0]?.label_text ?? ''
const planOf = (result: Result): Plan => result.data as Plan
const states = (result: Result): string[] => planOf(result).steps.map((s) => `${s.state} ${s.needs}`)

async function question({ session }: TestDesk): Promise<Approval> {
  for (let i = 0; i < 400; i++) {
    const found = session.approvals.list().find((a) => a.steps !== undefined)
    if (found !== undefined) return found
    await sleep(5)
  }
  throw new Error('nothing was asked')
}

/** Rehearses, and a person agrees. */
async function agreed(d: TestDesk, actions: unknown[], scope: 'once' | 'session' | 'app' = 'once'): Promise<Result> {
  const asking = d.call('plan.rehearse', { actions, ask: true })
  await d.session.invoke('approvals.answer', { id: (await question(d)).id, allow: true, scope }, OPERATOR)
  return asking
}

const run = (d: TestDesk, { tool, args }: { tool: string; args: object }): Promise<Result> => d.call(tool, args, { waitMs: 60 })
const PENDING = { sent: 'none', error: { code: 'APPROVAL_PENDING' } }
const VOID = { sent: 'none', error: { code: 'TARGET_CHANGED' } }
const DONE = { status: 'success', sent: 'all' }

describe('a rehearsal', () => {
  test('says of every step what it would touch and what would be decided, and does none of them', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const result = await d.call('plan.rehearse', { actions: [type('Anna'), click('Gift'), click('Order')] })
    expect(result).toMatchObject({ status: 'success', sent: 'none', effect: 'none', data: { known: 3, unknown: 0 } })
    expect(planOf(result).steps).toMatchObject([
      { n: 1, state: 'known', needs: 'nothing', target: { role: 'textbox', name: 'Customer' }, decision: { verdict: 'allow' } },
      { n: 2, needs: 'plan', target: { role: 'checkbox' }, decision: { verdict: 'ask_user', rule: { file: 'test.toml' } } },
      {
        n: 3,
        needs: 'plan',
        target: { name: 'Order' },
        risk: { factors: expect.arrayContaining([expect.objectContaining({ id: 'action.click' })]) },
      },
    ])
    expect(result.text).toContain('Nothing was done')
    expect(clicks(d.driver)).toBe('n')
    const entries = await d.journal()
    expect(entries.filter((e) => e.type === 'acting')).toEqual([])
    const steps = entries.filter((e) => e.type === 'decided' && e.op.startsWith(`${result.op}.`))
    expect(steps).toMatchObject([
      { dryRun: true, tool: 'ui.type' },
      { dryRun: true, tool: 'ui.click' },
      { dryRun: true, tool: 'ui.click' },
    ])
    expect(entries.find((e) => e.type === 'decided' && e.op === result.op)).toMatchObject({ kind: 'plan', tool: 'plan.rehearse' })
  })

  test('a launch of what is not there would fail, and of what is there would pass', async () => {
    const d = await desk({ ui: { ...UI, apps: { Mail: [window('Mail', [])] } } })
    const launch = (app: string): object => ({ tool: 'desktop.launch', args: { app } })
    const { steps } = planOf(await d.call('plan.rehearse', { actions: [launch('Mail'), launch('Nowhere')] }))
    expect(steps).toMatchObject([{ decision: { verdict: 'allow' } }, { n: 2 }])
    expect(steps[0]?.error).toBeUndefined()
    const alone = await d.call('plan.rehearse', { actions: [launch('Nowhere')] })
    expect(planOf(alone).steps[0]?.error?.code).toBe('UNKNOWN_APP')
    expect(alone.text).toContain('would fail. UNKNOWN_APP')
    expect((await d.call('desktop.launch', { app: 'Nowhere' }, { dryRun: true })).error?.code).toBe('UNKNOWN_APP')
    expect(await d.call('desktop.launch', { app: 'Nowhere' })).toMatchObject({ sent: 'none', error: { next: 'It has Mail.' } })
  })

  test('what follows a button is unknown, never a success, whether or not it can be found now', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const actions = [
      click('Order'),
      click('Yes, really'),
      click('Again'),
      { tool: 'ui.key', args: { keys: 'Enter' } },
      { tool: 'ui.assert', args: { condition: { text: 'Thanks' } } },
    ]
    const result = await d.call('plan.rehearse', { actions })
    expect(states(result)).toEqual(['known plan', 'unknown grant', 'unknown grant', 'unknown grant', 'unknown grant'])
    expect(planOf(result).steps[1]).toMatchObject({ why: 'it is not there yet; step 1 may bring it' })
    expect(planOf(result).steps[1]).not.toHaveProperty('error')
    expect(result.text).not.toMatch(/[2-5]\. .*passes/)
  })

  test('another application is not touched by that, but focus and pixels are', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const actions = [
      click('Order'),
      { tool: 'ui.type', args: { target: 'name="Page"', text: 'x' } },
      click('Keep'),
      { tool: 'ui.type', args: { text: 'x' } },
      { tool: 'ui.click_xy', args: { x: 5, y: 5 } },
      { tool: 'ui.screens', args: {} },
    ]
    const result = await d.call('plan.rehearse', { actions: actions.slice(0, 5) })
    expect(states(result).map((s) => s.split(' ')[0])).toEqual(['known', 'known', 'known', 'unknown', 'unknown'])
  })

  test('what cannot be found with nothing before it would fail, and says so', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const result = await d.call('plan.rehearse', { actions: [click('Nowhere'), { tool: 'ui.click', args: { nonsense: 1 } }, type('a')] })
    expect(planOf(result).steps).toMatchObject([
      { state: 'known', error: { code: 'NOT_FOUND' } },
      { state: 'known', error: { code: 'BAD_ARGS' } },
      { state: 'known', needs: 'nothing' },
    ])
    expect(result.text).toContain('would fail. NOT_FOUND')
  })

  test('lets no time pass on a simulated desktop, and moves nothing', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const before = JSON.stringify([d.driver.state(), d.driver.describe()])
    await d.call('plan.rehearse', {
      actions: [click('Nowhere'), click('Order'), { tool: 'ui.drag', args: { from: 'name="Order"', to: 'name="Again"' } }],
    })
    expect(JSON.stringify([d.driver.state(), d.driver.describe()])).toBe(before)
  })

  test('tells nothing of what is hidden from the agent', async () => {
    const d = await desk({
      ui: UI,
      policy: `${ASK}[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\nwhen = { app = "virtual:notes" }\n`,
    })
    const result = await d.call('plan.rehearse', {
      actions: [click('Keep'), { tool: 'ui.click', args: { target: 'window="Notes" >> role=textbox' } }],
    })
    expect(planOf(result).steps).toMatchObject([{ error: { code: 'NOT_FOUND' } }, { error: { code: 'NOT_FOUND' } }])
    expect(JSON.stringify(planOf(result).steps.map((s) => [s.target, s.risk, s.error?.details]))).not.toMatch(/Keep|Page/)
  })

  test.each(['plan.rehearse', 'op.wait', 'avis.click_element', 'nonsense', 'gui_analyze_screen'])('%s cannot be planned', async (tool) => {
    const d = await desk({ ui: UI })
    const refused = await d.call('plan.rehearse', { actions: [{ tool, args: {} }] })
    expect(refused.error?.code).toMatch(/BAD_ARGS|UNKNOWN_TOOL|NOT_CAPABLE/)
  })

  test('takes the tools of other shapes apart into what they would do', async () => {
    const d = await desk({
      ui: UI,
      policy: '[[rule]]\ntoolName = "gui_*"\ndecision = "ask_user"\npriority = 500\nwhen = { risk = ["low", "medium", "high"] }\n',
    })
    const result = await d.call('plan.rehearse', { actions: [{ tool: 'gui_click_element', args: { name: 'Order', role: 'button' } }] })
    expect(result.error).toBeUndefined()
    expect(planOf(result).steps).toMatchObject([{ tool: 'gui_click_element', state: 'known', target: { name: 'Order' } }])
    expect(clicks(d.driver)).toBe('n')
  })
})

describe('a plan that a person agreed to', () => {
  test('is asked once, with every step in view, and each known step passes once', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const asking = d.call('plan.rehearse', { actions: [type('Anna'), click('Gift'), click('Order')], ask: true })
    const asked = await question(d)
    expect(asked).toMatchObject({
      tool: 'plan.rehearse',
      summary: 'a plan of 3 steps: 2 to agree to, 0 unknown',
      steps: [{ summary: expect.stringContaining('Customer') }, { targets: [{ role: 'checkbox' }] }, { targets: [{ name: 'Order' }] }],
    })
    await d.session.invoke('approvals.answer', { id: asked.id, allow: true, scope: 'once' }, OPERATOR)
    expect(planOf(await asking)).toMatchObject({ approval: asked.id })
    for (const step of [type('Anna'), click('Gift'), click('Order')]) expect(await run(d, step)).toMatchObject(DONE)
    expect(clicks(d.driver)).toBe('1')
    const answers = (await d.journal()).filter((e) => e.type === 'answered')
    expect(answers).toMatchObject([
      { scope: 'once' },
      { scope: 'plan', approval: asked.id, by: OPERATOR },
      { scope: 'plan', approval: asked.id },
    ])
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
  })

  test('high risk asks all the same', async () => {
    const d = await desk({
      ui: {
        windows: [
          window('Bank', [
            element('label', 'n', { value: 0 }),
            element('button', 'Delete all and pay now', counting()),
            element('checkbox', 'Gift'),
          ]),
        ],
      },
      policy: ASK,
    })
    const actions = [click('Gift'), click('Delete all and pay now')]
    const result = await agreed(d, actions)
    expect(states(result)).toEqual(['known plan', 'known question'])
    expect(await run(d, click('Gift'))).toMatchObject(DONE)
    expect(await run(d, click('Delete all and pay now'))).toMatchObject(PENDING)
    expect(clicks(d.driver)).toBe('n')
  })

  test('what was unknown is covered by a grant with bounds, where the person gave one', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    await agreed(d, [click('Order'), click('Again')], 'app')
    expect(d.session.approvals.grants()).toMatchObject([
      { tools: ['ui.click'], apps: ['virtual:shop'], maxRisk: 'medium', left: 1 },
      { left: 2, principal: 'agent' },
    ])
    for (const step of [click('Order'), click('Again')]) expect(await run(d, step)).toMatchObject(DONE)
    expect(await run(d, click('Again'))).toMatchObject(PENDING)
    expect(clicks(d.driver)).toBe('2')
  })

  test('without a grant the unknown steps ask', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    await agreed(d, [click('Order'), click('Again')])
    expect(await run(d, click('Order'))).toMatchObject(DONE)
    expect(await run(d, click('Again'))).toMatchObject(PENDING)
  })

  test('a denial reaches the agent with its reason, and nothing is covered', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const asking = d.call('plan.rehearse', { actions: [click('Order')], ask: true })
    await d.session.invoke('approvals.answer', { id: (await question(d)).id, allow: false, scope: 'once', reason: 'not today' }, OPERATOR)
    expect(await asking).toMatchObject({ error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('not today') } })
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
  })

  test('can be listed, and taken back', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const { approval } = planOf(await agreed(d, [click('Order')]))
    expect(d.session.approvals.grants()).toMatchObject([{ id: approval, left: 1, apps: ['virtual:shop'] }])
    await d.session.invoke('grants.revoke', { id: approval! }, OPERATOR)
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
  })

  test('is over when the desktop is stopped, and when its time is up', async () => {
    let now = Date.now()
    const d = await desk({ ui: UI, policy: ASK, ports: { now: () => now } })
    await agreed(d, [click('Order')])
    await d.session.invoke('stop', {}, OPERATOR)
    await d.session.invoke('resume', {}, OPERATOR)
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
    await agreed(d, [click('Again')])
    now += 11 * 60_000
    expect(await run(d, click('Again'))).toMatchObject(PENDING)
    expect(clicks(d.driver)).toBe('n')
  })

  test('where nobody can be asked, it says so with exit code 3', async () => {
    const d = await desk({ ui: UI, policy: ASK, ports: { approver: undefined } })
    const result = await d.call('plan.rehearse', { actions: [click('Order'), click('Again')], ask: true })
    expect(result).toMatchObject({ error: { code: 'APPROVAL_NEEDED' } })
  })
})

describe('an agent that wants more than was agreed to', () => {
  test('cannot answer its own plan', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const pending = d.call('plan.rehearse', { actions: [click('Order')], ask: true }, { waitMs: 80 })
    const { id } = await question(d)
    for (const by of [
      { id: 'agent', role: 'agent' },
      { id: 'operator', role: 'agent' },
    ] as const)
      await expect(d.session.invoke('approvals.answer', { id: id, allow: true, scope: 'app' }, by)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
      })
    for (const tool of ['plan.approve', 'plan.answer', 'approvals.answer'])
      expect((await d.call(tool, { id, allow: true })).error).toMatchObject({ code: 'UNKNOWN_TOOL' })
    expect((await d.call('plan.rehearse', { actions: [click('Order')], ask: true, approved: true })).error).toMatchObject({
      code: 'BAD_ARGS',
    })
    expect(await pending).toMatchObject(PENDING)
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
    expect((await d.journal()).filter((e) => e.type === 'rejected' && e.code === 'UNAUTHORIZED')).toHaveLength(2)
    expect(clicks(d.driver)).toBe('n')
  })

  test.each([
    ['replays a step', [click('Gift'), click('Gift')], 1],
    ['swaps steps', [click('Order')], 0],
    ['leaves a step out', [click('Order')], 0],
    ['slips a step in between', [click('Gift'), type('evil'), click('Order')], 2],
    ['changes an argument', [click('Gift'), { tool: 'ui.click', args: { target: 'name="Order"', clickCount: 2 } }], 1],
    ['adds a modifier', [{ tool: 'ui.click', args: { target: 'name="Gift"', modifiers: ['Control'] } }], 0],
    ['clicks by another tool', [{ tool: 'gui_click_element', args: { name: 'Gift' } }, click('Order')], 1],
  ])('who %s is asked again, and the rest of the plan is void', async (_, steps, passes) => {
    const policy = `${ASK}[[rule]]\ntoolName = "gui_*"\ndecision = "allow"\npriority = 600\nwhen = { risk = ["low", "medium", "high"] }\n`
    const d = await desk({ ui: UI, policy })
    await agreed(d, [click('Gift'), click('Order')])
    for (const [i, step] of steps.entries()) {
      const result = await run(d, step)
      if (i < passes) expect(result.error).toBeUndefined()
      else expect(result).toMatchObject(PENDING)
    }
    expect(await run(d, click('Order'))).toMatchObject(PENDING)
    expect(clicks(d.driver)).toBe('n')
    expect(d.session.approvals.grants()).toEqual([])
  })

  test('a target that changed after the approval is not the approved one', async () => {
    const renaming = { attributes: { on: { click: [{ do: 'set', element: 'order', label_text: 'Order 1000' }] } } }
    const ui = {
      windows: [
        window('Shop', [
          element('label', 'n', { value: 0 }),
          { ...element('button', 'Order', counting()), element_id: 'order' },
          element('checkbox', 'Gift', renaming),
        ]),
      ],
    }
    const d = await desk({
      ui,
      policy: ASK.replace('"ui.click"', '"ui.click"').concat(
        '[[rule]]\ntoolName = "ui.click"\ndecision = "allow"\npriority = 700\nwhen = { name = "Gift" }\n',
      ),
    })
    const order = { tool: 'ui.click', args: { target: 'virtualId="order"' } }
    await agreed(d, [click('Gift'), order])
    expect((await run(d, click('Gift'))).error).toBeUndefined()
    expect(d.driver.describe()[0]?.children?.[1]?.label_text).toBe('Order 1000')
    expect(await run(d, order)).toMatchObject(PENDING)
    expect(clicks(d.driver)).toBe('n')
  })

  test('a value that the application or another agent put into the form after the approval voids it, what the plan itself enters does not', async () => {
    const steps = [type('Anna'), click('Order')]
    for (const [disturb, outcome, count] of [
      [undefined, DONE, '1'],
      [
        (d: TestDesk) => d.session.call({ tool: 'ui.click', kind: 'click', args: { target: 'name="Gift"' }, principal: OPERATOR }),
        VOID,
        'n',
      ],
      [(d: TestDesk) => d.driver.set('checkbox_gift', 'true'), VOID, 'n'],
    ] as const) {
      const d = await desk({ ui: UI, policy: ASK })
      expect(await agreed(d, steps)).toMatchObject({ status: 'success' })
      expect(await run(d, type('Anna'))).toMatchObject(DONE)
      await disturb?.(d)
      expect(await run(d, click('Order'))).toMatchObject(outcome)
      expect(clicks(d.driver)).toBe(count)
      await d.session.close()
    }
  })

  test('what follows a text that is sent off by a key is unknown', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    const sent = { tool: 'ui.type', args: { target: 'name="Customer"', text: 'Anna', submit: 'Enter' } }
    expect(states(await d.call('plan.rehearse', { actions: [sent, click('Order')] }))[1]).toBe('unknown grant')
    await d.session.close()
  })

  test('another agent has nothing of it', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    await agreed(d, [click('Order')])
    const theirs = await dispatch({ session: d.session }, OTHER, 'ui.click', click('Order').args, { waitMs: 60 })
    expect(theirs).toMatchObject(PENDING)
    expect(await run(d, click('Order'))).toMatchObject(DONE)
  })

  test('two calls at once use a step once', async () => {
    const d = await desk({ ui: UI, policy: ASK })
    await agreed(d, [click('Order')])
    const results = await Promise.all([run(d, click('Order')), run(d, click('Order'))])
    expect(results.filter((r) => r.error === undefined)).toHaveLength(1)
    expect(clicks(d.driver)).toBe('1')
  })

  test('risk that rose after the approval asks', async () => {
    const text = 'a text that stands on the screen'
    const ui = { windows: [window('Shop', [element('label', text), element('text_field', 'Card number')])] }
    const policy = ASK.replace('ui.click', 'ui.type')
    const d = await desk({ ui, policy })
    const step = { tool: 'ui.type', args: { target: 'name="Card number"', text } }
    expect(states(await agreed(d, [step]))).toEqual(['known plan'])
    // Now the agent has read the same words on the screen.
    await d.call('ui.snapshot', { all: true })
    expect(await run(d, step)).toMatchObject(PENDING)
    expect(d.driver.describe()[0]?.children?.[1]?.value ?? '').toBe('')
  })
})

test('a plan and its digest give away nothing that was typed', async () => {
  const policy = '[[rule]]\ntoolName = "ui.type"\ndecision = "ask_user"\npriority = 500\nobligations = { redact = true }\n'
  const d = await desk({ ui: UI, policy })
  await agreed(d, [type('7391')])
  await run(d, type('7391'))
  expect(JSON.stringify(await d.journal())).not.toContain('7391')
})
