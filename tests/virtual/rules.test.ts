import { expect, test } from 'vitest'
import { within } from '@deskhand/core/driver'
import { ctx, el, Hand, win } from './kit.ts'

const on = (event: string, ...rules: unknown[]): { attributes: { on: Record<string, never[]> } } => ({
  attributes: { on: { [event]: rules as never[] } },
})

test('rules fill in values, look before they act, and add and remove things', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('text_field', 'name', 'Name'),
      el('list', 'l', 'People', { children: [el('option', 'first', 'Nobody')] }),
      el('label', 'hello', ''),
      el(
        'button',
        'add',
        'Add',
        on(
          'click',
          { do: 'set', element: 'hello', label_text: 'Please say who', when: { element: 'name', empty: true } },
          { do: 'append', element: 'l', item: '{name}', when: { element: 'name', empty: true, not: true } },
          { do: 'set', element: 'hello', label_text: 'Hello {{name}} {name}', when: { element: 'name', empty: false } },
          { do: 'clear', element: 'name' },
          { do: 'focus', element: 'name' },
        ),
      ),
      el('button', 'gone', 'Gone', on('click', { do: 'remove', element: 'first' }, { do: 'remove', element: 'gone' })),
    ]),
  ])
  await hand.click('add')
  expect(await hand.name('hello')).toBe('Please say who')
  await hand.click('name')
  await hand.type('Ann')
  await hand.click('add')
  expect(await hand.name('hello')).toBe('Hello {name} Ann')
  expect(await hand.name('l[1]')).toBe('Ann')
  expect(await hand.value('name')).toBe('')
  expect(hand.focused()).toBe('name')
  await hand.click('gone')
  expect(hand.driver.keyOf('first')).toBeUndefined()
  expect(hand.driver.keyOf('gone')).toBeUndefined()
  expect((await hand.node('l[1]')).index).toBe(0)
})

test('Enter in a field submits its form, shortcuts and key rules work in the active window', async () => {
  const hand = new Hand([
    win(
      'w',
      'W',
      [
        el('form', 'f', 'F', {
          children: [el('text_field', 'q', 'Q')],
          ...on('submit', { do: 'increment', element: 'n', format: 'sent {}' }),
        }),
        el('label', 'n', 'sent 0', { value: 0 }),
        el('button', 's', 'Save', { attributes: { shortcut: 'ctrl+s', on: { click: [{ do: 'toggle', element: 'c' }] } } }),
        el('check_box', 'c', 'Saved'),
      ],
      on('key:F5', { do: 'set', element: 'n', label_text: 'fresh' }),
    ),
  ])
  await hand.click('q')
  await hand.press('Enter', 'ctrl+s')
  expect(await hand.name('n')).toBe('sent 1')
  expect(await hand.states('c')).toMatchObject({ checked: true })
  await hand.press('F5')
  expect(await hand.name('n')).toBe('fresh')
})

test('a manual clock moves when something waits for it, and only as far as it has to', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('label', 'l', 'idle'),
      el(
        'button',
        'b',
        'Go',
        on('click', {
          do: 'after',
          ms: 5000,
          then: [
            { do: 'set', element: 'l', label_text: 'done' },
            { do: 'after', ms: 60_000, then: [{ do: 'set', element: 'l', label_text: 'late' }] },
          ],
        }),
      ),
    ]),
  ])
  await hand.click('b')
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  expect(await hand.name('l')).toBe('idle')
  const told = await hand.driver.observe.changes(cursor, 10_000, ctx)
  expect('changes' in told && told.changes.some((c) => c.type === 'put' && c.node.name === 'done')).toBe(true)
  expect(hand.driver.state().nowMs).toBe(5000)
  hand.driver.advance(59_999)
  expect(await hand.name('l')).toBe('done')
  await hand.step({ do: 'keys', events: [{ type: 'pause', ms: 1 }] })
  expect(await hand.name('l')).toBe('late')
})

test('a reader that already waits is woken for a timer that is set later', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('label', 'l', 'idle', on('click', { do: 'after', ms: 100, then: [{ do: 'set', element: 'l', label_text: 'done' }] })),
    ]),
  ])
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  const waiting = hand.driver.observe.changes(cursor, 60_000, within(120_000))
  await hand.step({ do: 'press', key: hand.key('l') })
  expect(await waiting).toMatchObject({ changes: [{ type: 'put', node: { name: 'done' } }] })
})

test('a real clock fires by itself', async () => {
  const hand = new Hand(
    [
      win('w', 'W', [
        el('label', 'l', 'idle'),
        el('button', 'b', 'Go', on('click', { do: 'after', ms: 30, then: [{ do: 'set', element: 'l', label_text: 'done' }] })),
      ]),
    ],
    { clock: 'real' },
  )
  await hand.click('b')
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  await hand.driver.observe.changes(cursor, 10_000, ctx)
  expect(await hand.name('l')).toBe('done')
  await hand.driver.close()
})

test('rules that call each other without end are cut off', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('form', 'a', 'A', on('submit', { do: 'increment', element: 'n' }, { do: 'submit', element: 'b' })),
      el('form', 'b', 'B', on('submit', { do: 'submit', element: 'a' })),
      el('label', 'n', undefined, { value: 0 }),
      el('button', 'go', 'Go', on('click', { do: 'submit', element: 'a' })),
      el('button', 'tick', 'Tick', on('click', { do: 'after', ms: 1, then: [{ do: 'submit', element: 'a' }] })),
    ]),
  ])
  await hand.click('go')
  expect(Number(await hand.value('n'))).toBeLessThan(30)
  await hand.click('tick')
  hand.driver.advance(1e12)
})

test('the Run button asks the session, and the answer is shown', async () => {
  const hand = new Hand([
    win('w', 'W', [
      el('text_area', 'code_editor', 'Code', { value: 'print(2 + 2)' }),
      el('button', 'run_code_button', 'Run'),
      el('text_area', 'code_output_display', 'Output'),
    ]),
  ])
  const { cursor } = await hand.driver.observe.read({ maxNodes: 1 }, ctx)
  await hand.click('run_code_button')
  const all = await hand.driver.observe.changes(cursor, 0, ctx)
  const request = 'changes' in all ? all.changes.find((c) => c.type === 'host')?.request : undefined
  expect(request).toEqual({ id: 'run-1', run: 'code', code: 'print(2 + 2)' })
  expect(await hand.value('code_output_display')).toBe('Running…')
  await hand.driver.act.reply(
    'run-1',
    { request_id: 'run-1', execution_success: true, script_exit_code: 0, stdout: '4\n', stderr: '', status_message: 'Executed.' },
    ctx,
  )
  expect(await hand.value('code_output_display')).toBe('4\nExecuted.\nexit code 0')
  await expect(hand.driver.act.reply('run-1', 'again', ctx)).rejects.toMatchObject({ code: 'BAD_ARGS' })
  expect(await hand.states('code_output_display')).toMatchObject({ editable: false })
})
