import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Driver, within } from '@deskhand/core/driver'
import { type CheckOptions, checkDriver, type Outcome } from '@deskhand/core/driver/check'
import { CONTRACT_WINDOW, type Fixture } from '@deskhand/core/driver/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Seen } from './seen.ts'
import { describeWine, NODE, onZ, openWine, type Wine } from './wine.ts'

const fixture = (name: string): string => onZ(fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url)))
const MENUS = { menu: 'the menu of a window cannot be read (GetMenuItemCount answered -1)' }

interface Program {
  command: readonly string[]
  image: string
  window: string
  has?: Partial<Fixture>
  more?: Pick<CheckOptions, 'unread' | 'refuses'>
}

const PARTS = ['button', 'counter', 'checkbox', 'field', 'area', 'disabled', 'password', 'options', 'dialog'] as const
const PROGRAMS: Record<string, Program> = {
  notepad: {
    command: ['notepad.exe'],
    image: 'notepad.exe',
    window: 'Untitled - Notepad',
    has: { field: '', area: '' },
    more: { unread: MENUS },
  },
  WordPad: {
    command: ['C:\\Program Files\\Windows NT\\Accessories\\wordpad.exe'],
    image: 'wordpad.exe',
    window: 'Document - Wine Wordpad',
    has: { field: '', area: '' },
    more: { unread: MENUS },
  },
  regedit: {
    command: ['regedit.exe'],
    image: 'regedit.exe',
    window: 'Registry Editor',
    has: { options: ['HKEY_CLASSES_ROOT', 'HKEY_CURRENT_USER', 'HKEY_LOCAL_MACHINE'] },
    more: { unread: MENUS },
  },
  'every classic control': {
    command: [NODE, fixture('controls.mjs'), '3'],
    image: 'node.exe',
    window: 'Controls',
    has: { options: ['Order 0', 'Order 1', 'Order 2'] },
  },
  winemine: { command: ['winemine.exe'], image: 'winemine.exe', window: 'WineMine', more: { unread: MENUS } },
  'a provider of UI Automation': {
    command: [NODE, fixture('provider.mjs'), 'Provider', '', 'few'],
    image: 'node.exe',
    window: 'Provider',
    has: { button: 'Save', counter: 'Count: ', disabled: 'Disabled' },
    more: { refuses: { 'step:press': 'GetCurrentPattern(10010) answered 0x80004001' } },
  },
}

/** The contract suite over some of these programs; its part of docs/windows.md says what was seen. */
export function describePrograms(part: string, names: readonly string[]): void {
  describeWine('the contract over programs that were not made for it, on Wine', () => programsOf(new Seen(part), names))
}

function programsOf(seen: Seen, names: readonly string[]): void {
  let wine: Wine
  let driver: Driver

  beforeAll(async () => {
    wine = await openWine()
    driver = (await wine.driver()).driver
  })
  afterAll(async () => {
    await driver.close()
    await wine.down()
  })

  test.each(names)('%s', { timeout: 600_000 }, async (name) => {
    const { command, image, window, has = {}, more } = PROGRAMS[name] ?? expect.fail(`there is no program ${name}`)
    const ended = once(wine.run(command), 'exit')
    const isActive = async (): Promise<boolean> =>
      (await driver.observe.read({}, within(60_000))).nodes.some((n) => n.name === window && n.states?.active === true)
    await expect.poll(isActive, { timeout: 60_000 }).toBe(true)
    const lacks = [...PARTS.filter((part) => !(part in has)), ...(more?.unread === undefined ? (['menu', 'item'] as const) : [])]
    const outcomes: Outcome[] = []
    for await (const one of checkDriver(driver, { fixture: { ...CONTRACT_WINDOW, ...has, window, lacks }, ...more })) outcomes.push(one)
    expect(outcomes.filter(({ result }) => result === 'fails')).toEqual([])
    expect(outcomes.filter(({ result }) => result === 'holds').length).toBeGreaterThan(8)
    seen.on('Wine', `${name}: every case that needs no ${PARTS.filter((part) => !(part in has)).join(', ')}`)
    const gaps = new Set(outcomes.flatMap(({ result, why = '' }) => (result === 'gap' ? why.split('; ') : [])))
    // A person's input is told by the airbag, which is off here.
    for (const gap of [...gaps].filter((g) => !g.startsWith('humanInput'))) {
      const [, what = gap, answer = ''] = /^(.*?):? \(?(Get\w+.* answered [^)]+)/.exec(gap) ?? []
      seen.gap(`${name}: ${what}`, 'nowhere', answer)
    }
    // The driver of the test is a program of the same name.
    if (image !== 'node.exe') await once(wine.run(['taskkill', '/f', '/im', image]), 'exit')
    if (image !== 'node.exe') await ended
  })

  test('docs/windows.md says of the contract what was seen here', () => {
    seen.mustBeTold()
  })
}
