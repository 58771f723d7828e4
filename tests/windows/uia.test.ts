import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, within } from '@deskhand/core/driver'
import type { FlatNode, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { TestDesk } from '../support/desk.ts'
import { byId, fixture, lines, start } from '../support/provider-window.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, double, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const seen = new Seen('uia')

const ids = (node: FlatNode | undefined): FlatNode['platformIds'] => node?.platformIds

describeWine("a window that draws itself, through Wine's UI Automation", () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  let look: () => Promise<FlatNode[]>

  beforeAll(async () => {
    wine = await openWine()
    ;({ driver, desk, look } = await start(wine, 'Provider', []))
    await vi.waitFor(async () => expect(byId(await look(), 'save')).toBeDefined(), { timeout: 60_000 })
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  test('is known element by element, with the ids and roles that its provider gives', async () => {
    const nodes = await look()
    const [save, rows, second] = ['save', 'rows', 'row2'].map((id) => byId(nodes, id))
    expect(save).toMatchObject({ role: 'button', name: 'Save', states: { enabled: true } })
    expect(ids(save)?.runtimeId).toMatch(/^\d+(\.-?\d+)+$/)
    expect(byId(nodes, 'off')?.states?.enabled).toBe(false)
    expect(second?.parent).toBe(rows?.key)
    expect(ids(nodes.find((n) => n.name === 'Provider'))?.windowHandle).toMatch(/^0x/)
    seen.on('Wine', 'elements of UI Automation: `automationId`, `runtimeId`, role, name, enabled, parent')
  })

  test('Wine has no patterns and no subtree in one round trip, and says so', async () => {
    const file = join(wine.folder, 'answers.txt')
    await once(wine.run([NODE, onZ(fixture('uia-answers.mjs')), 'Provider', onZ(file)], { log: join(wine.folder, 'answers.out') }), 'exit')
    const answers = readFileSync(file, 'utf8').split('\n')
    expect(answers.length).toBeGreaterThan(5)
    for (const answer of answers) {
      const [method = ''] = answer.split(' answered ')
      expect(answer).toContain('0x8')
      seen.gap(`\`${method}\``, 'a double', answer.slice(method.length + ' answered '.length))
    }
  })
})

describeWine('patterns, on a double of the UI Automation client', () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  let look: () => Promise<FlatNode[]>
  let asked: string

  beforeAll(async () => {
    wine = await openWine()
    asked = join(wine.folder, 'asked.log')
    ;({ driver, desk, look } = await start(wine, 'Patterns', ['bare'], {
      NODE_OPTIONS: double('uia-double.mjs'),
      UIA_DOUBLE_LOG: onZ(asked),
    }))
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  const use = async (tool: string, args: unknown): Promise<Result> => {
    const result = await desk.call(tool, args)
    expect(result.error, `${tool} ${JSON.stringify(args)}: ${result.error?.message}`).toBeUndefined()
    return result
  }

  test('states, values, ranges, grids and texts are read in one round trip, and a password is not', async () => {
    const trips = (): number => lines(asked).filter((line) => line === 'one round trip').length
    const before = trips()
    const nodes = await look()
    expect(trips()).toBe(before + 1)
    expect(byId(nodes, 'customer')).toMatchObject({ role: 'textbox', value: 'Ada', states: { editable: true } })
    expect(byId(nodes, 'pin')).toMatchObject({ role: 'textbox', states: { password: true } })
    expect(JSON.stringify(nodes)).not.toContain('4711')
    expect(byId(nodes, 'paid')).toMatchObject({ role: 'checkbox', states: { checked: false } })
    expect(byId(nodes, 'more')?.states?.expanded).toBe(false)
    expect(byId(nodes, 'amount')).toMatchObject({ role: 'slider', value: '20', attributes: { min: 0, max: 100 } })
    expect(byId(nodes, 'rows')).toMatchObject({ role: 'list', attributes: { rows: 3, columns: 1, scrolled: 25 } })
    expect(byId(nodes, 'row1')).toMatchObject({ role: 'option', states: { selected: true } })
    expect(byId(nodes, 'row3')?.states?.visible).toBe(false)
    expect(byId(nodes, 'letter')).toMatchObject({ role: 'document', value: 'Dear Ada,\nthank you.' })
    seen.on(
      'a double',
      'toggle, expand, selection, range, grid, scroll, value and text as states and values, in one round trip; no password',
    )
  })

  test('an element does what it is asked by its patterns, and tells of it afterwards', async () => {
    const lease = await driver.act.take(60_000, within(20_000))
    const step = async (id: string, what: object): Promise<string> => {
      const key = byId(await look(), id)?.key ?? ''
      return (await driver.act.step(lease, { key, ...what } as Parameters<Driver['act']['step']>[1], {}, within(20_000))).via
    }
    expect(await step('save', { do: 'focus' })).toBe('SetFocus')
    expect(await step('save', { do: 'press' })).toBe('Invoke.Invoke')
    expect(await step('paid', { do: 'press' })).toBe('Toggle.Toggle')
    expect(await step('more', { do: 'expand' })).toBe('ExpandCollapse.Expand')
    expect(await step('row2', { do: 'select' })).toBe('SelectionItem.Select')
    expect(await step('row3', { do: 'reveal' })).toBe('ScrollItem.ScrollIntoView')
    expect(await step('amount', { do: 'setValue', value: 70 })).toBe('RangeValue.SetValue')
    expect(await step('customer', { do: 'setText', text: 'Grüße 漢字', mode: 'replace' })).toBe('Value.SetValue')
    expect(await step('customer', { do: 'setText', text: '!', mode: 'append' })).toBe('Value.SetValue')
    await expect(step('off', { do: 'press' })).rejects.toMatchObject({ code: 'NOT_ACTIONABLE' })
    await expect(step('letter', { do: 'press' })).rejects.toMatchObject({ code: 'NOT_CAPABLE' })
    await driver.act.drop(lease)
    for (const line of [
      'focus save',
      'invoke save',
      'toggle paid',
      'expand more',
      'select row2',
      'reveal row3',
      'range amount: 70',
      'set customer: Grüße 漢字!',
    ])
      expect(lines(asked)).toContain(line)
    const nodes = await look()
    expect(byId(nodes, 'paid')?.states?.checked).toBe(true)
    expect(byId(nodes, 'row1')?.states?.selected).toBe(false)
    expect(byId(nodes, 'amount')?.value).toBe('70')
    seen.on('a double', 'Invoke, Toggle, ExpandCollapse, SelectionItem, ScrollItem, RangeValue and Value as actions')
  })

  test('an agent sets and checks through the session, by automation ids', async () => {
    await use('ui.set', { target: 'uia:automationId="amount"', value: 35 })
    await use('ui.set', { target: 'uia:automationId="customer"', value: 'Eve' })
    expect(lines(asked)).toContain('range amount: 35')
    expect(lines(asked)).toContain('set customer: Eve')
  })

  test('what an application tells of a change is heard by the driver, whatever kind of event it is', async () => {
    const heard = (): string[] => lines(asked).filter((line) => line.startsWith('listens to '))
    await vi.waitFor(() => expect(heard()).toEqual(expect.arrayContaining(['listens to structure', 'listens to focus'])), {
      timeout: 60_000,
    })
    const out = join(wine.folder, 'listens.out')
    const env = { NODE_OPTIONS: double('uia-double.mjs'), UIA_DOUBLE_LOG: onZ(asked) }
    const ended = once(wine.run([NODE, onZ(fixture('listens-uia.mjs'))], { log: out, env }), 'exit')
    await vi.waitFor(() => expect(lines(out)[0]).toContain('["structure","0x00000000"],["properties","0x00000000"]'), { timeout: 60_000 })
    await use('ui.set', { target: 'uia:automationId="amount"', value: 36 })
    expect(await ended).toEqual([0, null])
    seen.on('a double', 'events of structure, properties, focus, selections and texts, which wake a caller that waits for changes')
  })

  test('docs/windows.md says of UI Automation what was seen here', () => {
    seen.mustBeTold()
  })
})
