import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { type RealDesk, realDesk } from '../support/governed.ts'
import { Register } from '../support/register.ts'

describeDesktop('an id stays with one thing', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk()
  })
  afterAll(() => desk.close())

  describe.each([
    ['a list of GTK 3', 'register_gtk3.py', []],
    ['a list of GTK 4', 'register_gtk4.py', []],
    ['a table of Qt', 'register_qt5.py', ['table']],
    ['a tree of Qt', 'register_qt5.py', ['tree']],
  ])('in %s', (_, file, args) => {
    let register: Register
    beforeEach(async () => {
      register = await Register.open(desk, file, ...args)
      await register.press('Sort by date')
    })
    afterEach(() => register.close())

    test('that is sorted anew', async () => {
      const before = await register.shows()
      await register.press('Sort by payee')
      await register.keeps(before)
      const after = await register.shows()
      await register.keeps([...before, ...after])
      await register.press('Sort by amount')
      await register.keeps([...before, ...after])
      await register.shows()
    })

    test('that is filtered', async () => {
      const before = await register.shows()
      await register.after(() => desk.call('ui.type', { target: 'role=textbox && name="Search"', text: 'Cinema', mode: 'replace' }))
      await register.keeps(before)
      const cinema = await register.shows()
      expect(cinema).toHaveLength(5)
      await register.after(() => desk.call('ui.type', { target: 'role=textbox && name="Search"', text: 'Rent', mode: 'replace' }))
      await register.keeps([...before, ...cinema])
      await register.shows()
    })

    test('in which values change: no id is lost, and the new value is told', async () => {
      const before = await register.shows()
      await register.press('Change')
      const after = await register.shows()
      expect(after.map((row) => row[2]?.name)).toContain('99.99')
      expect(await register.keeps(before)).toBe(before.flat().length)
    })

    test('in which an entry is renamed, or comes before the others', async () => {
      const before = await register.shows()
      await register.press('Rename')
      await register.keeps(before)
      const renamed = await register.shows()
      await register.press('Insert')
      await register.keeps([...before, ...renamed])
      await register.shows()
    })

    test('whose entries are candidates for a name: each has a selector that names it alone', async () => {
      const { error } = await desk.call('ui.click', { target: 'role=cell && name~="Baker"' })
      expect(error?.code).toBe('AMBIGUOUS_TARGET')
      const { candidates } = (error?.details ?? { candidates: [] }) as { candidates: { elementId: string; selector: string }[] }
      expect(candidates.length).toBeGreaterThan(1)
      for (const { elementId, selector } of candidates)
        expect((await desk.call('ui.query', { selector })).data).toMatchObject({ count: 1, matches: [{ elementId }] })
    })
  })
})
