import { join } from 'node:path'
import { type Driver, type Step, within } from '@deskhand/core/driver'
import type { FlatNode } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { govern, type TestDesk } from '../support/desk.ts'
import { fixture, lines } from '../support/provider-window.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const seen = new Seen('msaa')

describeWine('a control that tells MSAA alone what is in it, on Wine', () => {
  let wine: Wine
  let driver: Driver
  let desk: Pick<TestDesk, 'session' | 'call'>
  const look = () => driver.observe.read({}, within(60_000))
  const named = (nodes: readonly FlatNode[], name: string): FlatNode | undefined => nodes.find((n) => n.name === name)
  const log = (): string[] => lines(join(wine.folder, 'accessible.log'))

  beforeAll(async () => {
    wine = await openWine()
    driver = (await wine.driver()).driver
    desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
    const words = [NODE, onZ(fixture('accessible.mjs')), onZ(join(wine.folder, 'accessible.log'))]
    wine.run(words, { log: join(wine.folder, 'accessible.out') })
    await vi.waitFor(async () => expect(named((await look()).nodes, 'Save')).toBeDefined(), { timeout: 60_000 })
  })
  afterAll(async () => {
    await desk.session.close()
    await driver.close()
    await wine.down()
  })

  test('has elements with names, values, states and places, without what a password field holds', async () => {
    const { nodes } = await look()
    expect(named(nodes, 'Save')).toMatchObject({ role: 'button', states: { enabled: true }, actions: ['press', 'focus'] })
    expect(named(nodes, 'Delete')).toMatchObject({ role: 'button', states: { enabled: false } })
    expect(named(nodes, 'Customer')).toMatchObject({ role: 'textbox', value: 'Ada', states: { editable: true } })
    expect(named(nodes, 'PIN')).toMatchObject({ role: 'textbox', states: { password: true } })
    expect(JSON.stringify(nodes)).not.toContain('4711')
    expect(named(nodes, 'Paid')).toMatchObject({ role: 'checkbox', states: { checked: true } })
    expect(named(nodes, 'Order 1')).toMatchObject({ role: 'option', parent: named(nodes, 'Orders')?.key, states: { selected: true } })
    const control = nodes.find((n) => n.attributes?.['class'] === 'DeskhandOwn')
    expect(named(nodes, 'Save')?.parent).toBe(control?.key)
    const { x = 0, y = 0 } = control?.bounds ?? {}
    expect(named(nodes, 'Save')?.bounds).toEqual({ x: x + 10, y: y + 10, w: 80, h: 24 })
    seen.on('Wine', 'elements of MSAA: role, name, value, states, place, elements within elements; no password')
  })

  test('a list that draws its entries itself, and tells MSAA nothing of them, is named as a gap', async () => {
    const { reasons } = (await look()).completeness
    expect(reasons.map(({ detail }) => detail)).toEqual(['a list draws its 3 entries itself and keeps no texts'])
    seen.on('Wine', 'a list that draws its entries itself, told as a gap')
  })

  test('does what it is asked, and shows it', async () => {
    const lease = await driver.act.take(60_000, within(20_000))
    const step = async (name: string, what: object): Promise<string> => {
      const key = named((await look()).nodes, name)?.key ?? ''
      return (await driver.act.step(lease, { key, ...what } as Step, {}, within(20_000))).via
    }
    expect(await step('Save', { do: 'press' })).toBe('accDoDefaultAction')
    expect(await step('Paid', { do: 'press' })).toBe('accDoDefaultAction')
    expect(await step('Order 2', { do: 'select' })).toBe('accSelect')
    expect(await step('Customer', { do: 'setText', text: ' Grüße 漢字', mode: 'append' })).toBe('put_accValue')
    await expect(step('Delete', { do: 'press' })).rejects.toMatchObject({ code: 'NOT_ACTIONABLE' })
    await driver.act.drop(lease)
    expect(log()).toEqual(expect.arrayContaining(['press Save', 'press Paid', 'select Order 2 2', 'set Customer: Ada Grüße 漢字']))
    const { nodes } = await look()
    expect(named(nodes, 'Paid')?.states?.checked).toBe(false)
    expect([1, 2].map((n) => named(nodes, `Order ${n}`)?.states?.selected)).toEqual([false, true])
    expect(named(nodes, 'Customer')?.value).toBe('Ada Grüße 漢字')
    seen.on('Wine', 'accDoDefaultAction, accSelect and put_accValue as actions')
  })

  test('an element that moved to the place of one that is gone is not taken for it', async () => {
    const { nodes } = await look()
    const [first, ship] = ['Order 1', 'Ship first'].map((name) => named(nodes, name)?.key ?? '')
    const lease = await driver.act.take(60_000, within(20_000))
    const step = (what: object) => driver.act.step(lease, what as Step, {}, within(20_000))
    await step({ key: ship, do: 'press' })
    await expect(step({ key: first, do: 'select' })).rejects.toMatchObject({ code: 'STALE_REF' })
    await driver.act.drop(lease)
    expect(log().filter((line) => line.startsWith('select Order 2'))).toHaveLength(1)
  })

  test('an agent sets and checks it through the session', async () => {
    const { error } = await desk.call('ui.set', { target: 'role=textbox && name="Customer"', value: 'Eve' })
    expect(error?.message).toBeUndefined()
    expect(log()).toContain('set Customer: Eve')
  })

  test('docs/windows.md says of MSAA what was seen here', () => {
    seen.mustBeTold()
  })
})
