import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { memoryJournal } from '@deskhand/core/journal'
import type { Principal } from '@deskhand/core/model'
import { createRedactor } from '@deskhand/core/redaction'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { AGENT, desk, element, OPERATOR, window } from '../support/desk.ts'

const on = (click: unknown[]): Record<string, unknown> => ({ attributes: { on: { click } } })

describe('what an action touches', () => {
  const twins = {
    windows: [
      window('App', [element('button', 'Save'), { ...element('button', 'Save'), element_id: 'second' }, element('text_field', 'Name')]),
    ],
  }

  test('several matches are an error whose every candidate has a selector of its own', async () => {
    const { call } = await desk({ ui: twins })
    const result = await call('ui.click', { target: 'name="Save"' })
    expect(result).toMatchObject({ status: 'error', sent: 'none', error: { code: 'AMBIGUOUS_TARGET' } })
    const { candidates } = (result.error?.details ?? {}) as { candidates: { selector: string; elementId: string }[] }
    expect(candidates).toHaveLength(2)
    for (const { selector, elementId } of candidates) {
      const found = await call('ui.query', { selector })
      expect(found.data).toMatchObject({ count: 1, matches: [{ elementId }] })
    }
  })

  test('a miss names the nearest element and what it failed', async () => {
    const { call } = await desk({ ui: twins })
    const result = await call('ui.click', { target: 'role=button && name="Sav"', timeoutMs: 0 })
    expect(result.error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('"Save"') })
  })

  test('what is not there cannot be described, and that is a miss like any other', async () => {
    const { call } = await desk({ ui: twins })
    for (const tool of ['ui.describe', 'ui.snapshot'])
      expect(await call(tool, { [tool === 'ui.describe' ? 'element' : 'root']: 'name="Sav"' })).toMatchObject({
        sent: 'none',
        error: { code: 'NOT_FOUND', message: expect.stringContaining('"Save"') },
      })
  })

  test('an id that was shown is stale once its element became another one', async () => {
    const { call, driver } = await desk({
      ui: { windows: [window('App', [element('button', 'Play', on([{ do: 'set', element: 'button_play', label_text: 'Delete all' }]))])] },
    })
    await call('ui.snapshot')
    const { resolvedTarget } = await call('ui.click', { target: 'name="Play"' }, { changes: false })
    expect(driver.describe()[0]?.children?.[0]?.label_text).toBe('Delete all')
    const again = await call('ui.click', { target: resolvedTarget?.elementId })
    expect(again).toMatchObject({ sent: 'none', error: { code: 'STALE_REF', message: expect.stringContaining('Delete all') } })
  })

  test('an id nobody was shown opens nothing', async () => {
    const { call } = await desk({ ui: twins })
    expect((await call('ui.click', { target: 'e999' })).error).toMatchObject({ code: 'STALE_REF' })
  })

  test('a pixel is judged as the element under it', async () => {
    const { call, journal } = await desk({
      ui: twins,
      policy: '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\nrole = "textbox"\n',
    })
    const { data } = await call('ui.query', { selector: 'role=textbox' })
    const { bounds } = (data as { matches: { bounds: { x: number; y: number } }[] }).matches[0]!
    const result = await call('ui.click_xy', { x: bounds.x + 3, y: bounds.y + 3 })
    expect(result).toMatchObject({ sent: 'none', error: { code: 'DENIED' }, resolvedTarget: { role: 'textbox', name: 'Name' } })
    expect(await journal()).toContainEqual(
      expect.objectContaining({
        type: 'decided',
        tool: 'ui.click_xy',
        targets: [expect.objectContaining({ name: 'Name', source: 'pixel' })],
      }),
    )
  })

  test.each([
    ['ui.click_xy', { x: 5000, y: 10 }],
    ['ui.click_xy', { x: 10, y: -1 }],
    ['ui.drag', { from: { x: 10, y: 10 }, to: { x: 10, y: 480 } }],
  ])('%s outside the screen is refused before it is decided, with the size of the screen', async (tool, args) => {
    const { call, journal } = await desk({ ui: { screen: { width: 640, height: 480 }, ...twins } })
    const { error, sent } = await call(tool, args)
    expect({ error, sent }).toMatchObject({
      sent: 'none',
      error: { code: 'BAD_ARGS', message: expect.stringContaining('640x480') as string },
    })
    expect((await journal()).map((e) => e.type)).not.toContain('decided')
  })
})

describe('what an action came to', () => {
  test('a disabled button is refused, nothing is sent, and it is still journaled', async () => {
    const { call, journal } = await desk({ ui: { windows: [window('App', [element('button', 'Off', { is_enabled: false })])] } })
    const result = await call('ui.click', { target: 'name="Off"', timeoutMs: 20 })
    expect(result).toMatchObject({
      sent: 'none',
      effect: 'refused',
      error: { code: 'NOT_ACTIONABLE', message: expect.stringContaining('disabled') },
    })
    expect((await journal()).filter((e) => 'op' in e && e.op === result.op).map((e) => e.type)).toEqual(['decided', 'done'])
  })

  test('an element under another window is not clicked, and what lies over it is named', async () => {
    const over = { ...(window('Over', [element('label', 'Hello')]) as object), bounds_relative: [0.05, 0.05, 0.9, 0.9] }
    const under = {
      ...(window('Under', [element('button', 'Buried', on([{ do: 'set', element: 'button_buried', label_text: 'Clicked' }]))]) as object),
      bounds_relative: [0.1, 0.1, 0.4, 0.4],
    }
    const { call, driver, session } = await desk({ ui: { windows: [under, over] } })
    // Its own action would still reach it; here only the pointer counts.
    session.info.can['step:press'] = { ok: false, reason: 'test' }
    session.info.can['step:reveal'] = { ok: false, reason: 'test' }
    const result = await call('ui.click', { target: 'name="Buried"', timeoutMs: 50 })
    expect(result).toMatchObject({ sent: 'none', error: { code: 'NOT_ACTIONABLE', message: expect.stringMatching(/lies over it/) } })
    expect(JSON.stringify(driver.describe())).not.toContain('Clicked')
  })

  test('a dead button beside a ticking clock is never confirmed', async () => {
    const tick = { do: 'after', ms: 10, then: [{ do: 'increment', element: 'label_clock', format: '{}' }] }
    const ui = {
      windows: [
        window('App', [
          element('button', 'Start', on([tick, { ...tick, ms: 20 }, { ...tick, ms: 30 }])),
          element('button', 'Dead'),
          element('label', 'Clock', { value: 0 }),
        ]),
      ],
    }
    const { call } = await desk({ ui })
    await call('ui.click', { target: 'name="Start"' })
    expect((await call('ui.click', { target: 'name="Dead"' })).effect).not.toBe('confirmed')
  })

  test('a dead button where nothing moves has no effect', async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('button', 'Dead')])] } })
    await call('ui.click', { target: 'name="Dead"' })
    expect((await call('ui.click', { target: 'name="Dead"' })).effect).toBe('no_effect')
  })

  test('a checkbox that was toggled is confirmed', async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] } })
    expect(await call('ui.click', { target: 'name="Agree"' })).toMatchObject({ effect: 'confirmed', sent: 'all' })
  })

  test('a post-condition that does not hold is a failure with a fresh look', async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('button', 'Dead')])] } })
    const result = await call('ui.click', { target: 'name="Dead"', verify: { window: { title: 'Done' } } })
    expect(result).toMatchObject({
      status: 'error',
      sent: 'all',
      verification: { passed: false },
      error: { code: 'VERIFY_FAILED' },
      evidence: { snapshotId: expect.stringMatching(/^s\d+$/) },
    })
    expect(result.text).toContain('Dead')
  })

  test('waits end with the change they wait for', async () => {
    const ui = {
      windows: [
        window('App', [
          element('button', 'Go', on([{ do: 'after', ms: 500, then: [{ do: 'set', element: 'label_ready', label_text: 'Finished' }] }])),
          element('label', 'Ready'),
        ]),
      ],
    }
    const { call } = await desk({ ui })
    await call('ui.click', { target: 'name="Go"' })
    expect(await call('ui.wait', { until: { text: 'Finished' }, timeoutMs: 5000 })).toMatchObject({ status: 'success' })
    expect((await call('ui.wait', { until: { text: 'Never' }, timeoutMs: 50 })).error).toMatchObject({ code: 'TIMEOUT' })
    expect((await call('ui.assert', { condition: { text: 'Never' } })).error).toMatchObject({ code: 'ASSERT_FAILED' })
  })

  test('typing replaces, appends and inserts exactly', async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('text_field', 'Name', { value: 'old' })])] } })
    const value = async (): Promise<unknown> =>
      ((await call('ui.query', { selector: 'name="Name"' })).data as { matches: { value: string }[] }).matches[0]?.value
    await call('ui.type', { target: 'name="Name"', text: 'é漢😀', mode: 'replace' })
    expect(await value()).toBe('é漢😀')
    expect(await call('ui.type', { target: 'name="Name"', text: ' (a+b)*c', mode: 'append' })).toMatchObject({ effect: 'confirmed' })
    expect(await value()).toBe('é漢😀 (a+b)*c')
  })

  test('a bad argument names its field and changes nothing', async () => {
    const { call, journal } = await desk({ ui: { windows: [window('App', [element('button', 'Go')])] } })
    expect((await call('ui.click', { target: 'name="Go"', clickCount: 9 })).error).toMatchObject({
      code: 'BAD_ARGS',
      message: expect.stringContaining('clickCount'),
    })
    expect((await call('ui.key', { keys: 'ctrl+nonsense' })).error).toMatchObject({
      code: 'BAD_ARGS',
      message: expect.stringContaining('nonsense'),
    })
    expect((await journal()).some((e) => e.type === 'rejected' && e.code === 'BAD_ARGS')).toBe(true)
  })
})

describe('approval', () => {
  const ASK = '[[rule]]\ntoolName = "*"\ndecision = "ask_user"\npriority = 500\n[rule.when]\nrole = "button"\n'
  const ui = (more: unknown[] = []): unknown => ({
    windows: [
      window('App', [
        element('button', 'Pay', on([{ do: 'increment', element: 'label_paid', format: 'Paid {}' }])),
        element('label', 'Paid', { value: 0 }),
        ...more,
      ]),
    ],
  })

  test('an answer covers one call, once', async () => {
    const { call, session } = await desk({ ui: ui(), policy: ASK })
    const first = call('ui.click', { target: 'name="Pay"' })
    const id = await asked(session)
    await session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, OPERATOR)
    expect(await first).toMatchObject({ status: 'success' })
    await expect(session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, OPERATOR)).rejects.toMatchObject({
      code: 'UNKNOWN_OP',
    })
    expect((await call('ui.click', { target: 'name="Pay"' }, { waitMs: 60 })).error).toMatchObject({ code: 'APPROVAL_PENDING' })
  })

  test('a denial carries its reason to the agent', async () => {
    const { call, session } = await desk({ ui: ui(), policy: ASK })
    const pending = call('ui.click', { target: 'name="Pay"' })
    await session.invoke('approvals.answer', { id: await asked(session), allow: false, scope: 'once', reason: 'not this month' }, OPERATOR)
    expect(await pending).toMatchObject({
      sent: 'none',
      error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('not this month') },
    })
  })

  test('an agent cannot answer, and the attempt is recorded', async () => {
    const { call, session, journal } = await desk({ ui: ui(), policy: ASK })
    void call('ui.click', { target: 'name="Pay"' })
    await expect(session.invoke('approvals.answer', { id: await asked(session), allow: true, scope: 'once' }, AGENT)).rejects.toMatchObject(
      {
        code: 'UNAUTHORIZED',
      },
    )
    expect(session.approvals.list()).toHaveLength(1)
    expect((await journal()).at(-1)).toMatchObject({ type: 'rejected', code: 'UNAUTHORIZED' })
  })

  test('it is void when the element changed between question and answer', async () => {
    const { call, session, driver } = await desk({ ui: ui(), policy: ASK })
    const pending = call('ui.click', { target: 'name="Pay"' })
    const id = await asked(session)
    driver.load({ windows: [window('App', [element('button', 'Pay 1000', { element_id: 'button_pay' })])] })
    await session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, OPERATOR).catch(() => {})
    expect(await pending).toMatchObject({ sent: 'none', error: { code: expect.stringMatching(/STALE_REF|TARGET_CHANGED/) } })
  })

  test('it is void when a button without a name says something else by then', async () => {
    const button = { element_id: 'go', element_type: 'button', children: [element('label', 'Next', { element_id: 'says' })] }
    const rename = element('button', 'Rename', on([{ do: 'set', element: 'says', label_text: 'Pay 1000' }]))
    const { call, session } = await desk({ ui: { windows: [window('App', [button, rename])] }, policy: ASK })
    const pending = call('ui.click', { target: 'virtualId="go"' })
    const id = await asked(session)
    await dispatch({ session }, OPERATOR, 'ui.click', { target: 'name="Rename"' })
    await session.invoke('approvals.answer', { id: id, allow: true, scope: 'once' }, OPERATOR).catch(() => {})
    expect(await pending).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
  })

  test('a session grant covers the next calls and can be revoked', async () => {
    const { call, session } = await desk({ ui: ui(), policy: ASK })
    const first = call('ui.click', { target: 'name="Pay"' })
    const id = await asked(session)
    const { risk } = session.approvals.list()[0]!
    await session.invoke('approvals.answer', { id: id, allow: true, scope: 'session' }, OPERATOR)
    await first
    const next = await call('ui.click', { target: 'name="Pay"' }, { waitMs: 60 })
    // High risk always asks; anything below is covered.
    if (risk.level === 'high') return expect(next.error).toMatchObject({ code: 'APPROVAL_PENDING' })
    expect(next).toMatchObject({ status: 'success' })
    const [grant] = session.approvals.grants()
    await session.invoke('grants.revoke', { id: grant!.id }, OPERATOR)
    return expect((await call('ui.click', { target: 'name="Pay"' }, { waitMs: 60 })).error).toMatchObject({ code: 'APPROVAL_PENDING' })
  })

  test('without anybody to ask it fails at once', async () => {
    const { call } = await desk({ ui: ui(), policy: ASK, ports: { approver: undefined } })
    expect(await call('ui.click', { target: 'name="Pay"' })).toMatchObject({ sent: 'none', error: { code: 'APPROVAL_NEEDED' } })
  })

  test('other calls go on while one waits, and cancelling ends the wait', async () => {
    const { call, session } = await desk({ ui: ui([element('checkbox', 'Agree')]), policy: ASK })
    const pending = await call('ui.click', { target: 'name="Pay"' }, { waitMs: 60 })
    expect(await call('ui.focus', { target: 'name="Agree"' })).toMatchObject({ status: 'success' })
    await call('op.cancel', { op: pending.op })
    expect((await call('op.wait', { op: pending.op })).error).toMatchObject({ code: 'CANCELLED' })
    expect(session.approvals.list()).toEqual([])
  })
})

describe('the record and what stays out of it', () => {
  test('a callId that was used a thousand calls ago is not carried out again', async () => {
    const { call } = await desk({ ui: { windows: [window('App', [element('checkbox', 'Paid')])] } })
    const toggle = () => call('ui.click', { target: 'name="Paid"' }, { callId: 'x' })
    const first = await toggle()
    for (let i = 0; i < 1_001; i++) await call('ui.query', { selector: 'role=checkbox' })
    expect(await toggle()).toMatchObject({ op: first.op, status: 'success', sent: 'all', effect: 'confirmed' })
    expect((await call('ui.query', { selector: 'name="Paid" && checked=true' })).data).toMatchObject({ count: 1 })
  })

  test('a callId that was used more than a thousand calls before a restart is not carried out again', async () => {
    const ui = { windows: [window('App', [element('checkbox', 'Paid')])] }
    const ports = { journal: memoryJournal({ keep: 20_000 }), redactor: createRedactor() }
    const before = await desk({ ui, ports })
    expect(await before.call('ui.click', { target: 'name="Paid"' }, { callId: 'paid' })).toMatchObject({ effect: 'confirmed' })
    for (let i = 0; i < 1_001; i++) await before.call('ui.query', { selector: 'role=checkbox' }, { callId: `look-${i}` })
    const after = await desk({ ui, ports })
    expect(await after.call('ui.click', { target: 'name="Paid"' }, { callId: 'paid' })).toMatchObject({ sent: 'all', effect: 'confirmed' })
    expect((await after.call('ui.query', { selector: 'name="Paid" && checked=true' })).data).toMatchObject({ count: 0 })
  })

  test('the same callId is carried out once', async () => {
    const { call, driver } = await desk({
      ui: {
        windows: [
          window('App', [
            element('button', 'Add', on([{ do: 'increment', element: 'label_n', format: '{}' }])),
            element('label', 'n', { value: 0 }),
          ]),
        ],
      },
    })
    const [a, b] = await Promise.all([1, 2].map(() => call('ui.click', { target: 'name="Add"' }, { callId: 'x' })))
    expect(a?.op).toBe(b?.op)
    expect(driver.describe()[0]?.children?.[1]?.label_text).toBe('1')
    expect((await call('ui.click', { target: 'name="Other"' }, { callId: 'x' })).error).toMatchObject({ code: 'BAD_ARGS' })
  })

  test('typed text that is to be redacted is not in the journal', async () => {
    const { call, journal } = await desk({
      ui: { windows: [window('App', [element('text_field', 'Name'), element('password_field', 'Password')])] },
    })
    await call('ui.type', { target: 'name="Name"', text: 'canary-one', redactInLogs: true })
    const typed = await call('ui.type', { target: 'name="Password"', text: 'canary-two' })
    expect(typed.status).toBe('success')
    await call('ui.snapshot', { includeTree: true, includeTextIndex: true })
    const text = JSON.stringify([await journal(), typed])
    expect(text).not.toContain('canary-one')
    expect(text).not.toContain('canary-two')
  })

  test('an application that the policy hides leaks nothing, not even its title', async () => {
    const ui = { windows: [window('Secretapp', [element('button', 'Launch missiles')]), window('App', [element('button', 'Go')])] }
    const { call } = await desk({
      ui,
      policy: '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n[rule.when]\napp = "secretapp"\n',
    })
    const answers = [
      await call('ui.snapshot', { scope: 'desktop', includeTree: true, includeTextIndex: true }),
      await call('ui.query', { selector: 'role=button' }),
      await call('ui.click', { target: 'name="Launch missile"', timeoutMs: 0 }),
      await call('ui.click', { target: 'role=button && window="Secretap"', timeoutMs: 0 }),
      await call('ui.assert', { condition: { window: { titleContains: 'Secret' } } }),
    ]
    for (const answer of answers) {
      const { error, text, data } = answer
      expect(
        JSON.stringify({ error, text, data }).replaceAll(/Launch missile\b|Secretap\b|titleContains.{0,20}|"Secret"/g, ''),
      ).not.toMatch(/missiles|Secretapp/i)
    }
  })

  test('a journal that cannot be written stops acting', async () => {
    const broken = { ...memoryJournal(), append: () => Promise.reject(new Error('disk full')) }
    const { call, driver } = await desk({
      ui: { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] },
      ports: { journal: broken },
    })
    expect(await call('ui.click', { target: 'name="Agree"' })).toMatchObject({ status: 'error', sent: 'none' })
    expect(driver.describe()[0]?.children?.[0]?.value).not.toBe(true)
  })
})

test('stop ends a long text between two characters, and nothing acts until it is resumed', async () => {
  const { call, session, driver } = await desk({ ui: { windows: [window('App', [element('text_area', 'Notes', { is_focused: true })])] } })
  const typing = call('ui.type', { text: 'x'.repeat(200_000) })
  await sleep(5)
  await session.invoke('stop', {}, OPERATOR)
  const result = await typing
  expect(result.error).toMatchObject({ code: 'STOPPED' })
  const typed = driver.describe()[0]?.children?.[0]?.value as string
  expect(typed.length).toBeLessThan(200_000)
  expect((await call('ui.key', { keys: 'a' })).error).toMatchObject({ code: 'STOPPED' })
  await session.invoke('resume', {}, OPERATOR)
  expect((await call('ui.key', { keys: 'a' })).status).toBe('success')
})

async function asked(session: Awaited<ReturnType<typeof desk>>['session']): Promise<string> {
  for (let i = 0; i < 200; i++) {
    const [approval] = session.approvals.list()
    if (approval !== undefined) return approval.id
    await sleep(5)
  }
  throw new Error('nothing was asked')
}

test('a snapshot of one window names the others, and a difference names them when they changed', async () => {
  const { call } = await desk({ ui: { windows: [window('App', [element('button', 'Go')]), window('Log', [element('label', 'Hi')])] } })
  const text = async (args: object): Promise<string> => (await call('ui.snapshot', args)).text ?? ''
  const whole = await text({})
  expect(whole).toMatch(/window "\w+".*\n(.*\n)*other windows:\ne\d+ window "(App|Log)"/)
  const [since] = /s\d+/.exec(whole) ?? []
  expect(await text({ since })).not.toContain('other windows')
  expect(await text({ scope: 'desktop' })).not.toContain('other windows')
  await call('ui.window', { target: 'role=window && name="App"', op: 'close' })
  await call('ui.window', { target: 'role=window && name="Log"', op: 'activate' })
  expect(await text({})).not.toContain('other windows')
})

test('the feed tells in one order of entries, questions, operations, the tree and what the operator does', async () => {
  const d = await desk({ ui: { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] } })
  const heard: string[] = []
  const listening = (async () => {
    for await (const e of d.session.events.subscribe()) heard.push(e.type === 'journal' ? `journal:${e.entry.type}` : e.type)
  })()
  await d.call('ui.click', { target: 'name="Agree"' })
  await d.session.invoke('pause', {}, OPERATOR)
  await d.session.invoke('resume', {}, OPERATOR)
  await d.session.invoke('mode', { mode: 'simulation_only' }, OPERATOR)
  await expect.poll(() => heard).toContain('tree')
  await d.session.close()
  await listening
  expect(heard.filter((e) => e.startsWith('journal:'))).toEqual(
    ['decided', 'acting', 'done', 'operator', 'operator', 'operator'].map((type) => `journal:${type}`),
  )
  expect(heard).toEqual(expect.arrayContaining(['operation', 'control', 'mode']))
})

test('a viewer looks and changes nothing', async () => {
  const viewer: Principal = { id: 'screen-share', role: 'viewer' }
  const d = await desk({ ui: { windows: [window('App', [element('checkbox', 'Agree', { value: false })])] } })
  expect(await dispatch({ session: d.session }, viewer, 'ui.snapshot', {})).toMatchObject({ status: 'success' })
  expect((await dispatch({ session: d.session }, viewer, 'ui.click', { target: 'name="Agree"' })).error).toMatchObject({
    code: 'UNAUTHORIZED',
  })
  expect(await d.session.invoke('approvals.list', {}, viewer)).toEqual([])
  for (const method of ['stop', 'pause', 'resume'] as const)
    await expect(d.session.invoke(method, {}, viewer)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect((await d.session.invoke('journal.read', { types: ['rejected'] }, viewer)).map((e) => 'tool' in e && e.tool)).toEqual([
    'stop',
    'pause',
    'resume',
  ])
})
