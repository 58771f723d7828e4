import { DeskhandError } from '../../errors.ts'
import type { FlatNode } from '../../model/index.ts'
import type { Step } from '../driver.ts'
import { type Case, it } from './case.ts'
import { expect } from './expect.ts'
import { below, type ContractDesk, middle, NotShown } from './contract-desk.ts'

const EXACT = 'é 漢 😀 (a+b)*c'
const PLAIN = '(a+b)*c ~"Z'

export const acting: Case[] = [
  it('a click of the pointer presses the button, and the pointer stays where it was sent', ['step:pointer'], async (desk) => {
    const count = await desk.count()
    const at = middle(await desk.part('button'))
    expect(await desk.leased((lease) => desk.click(lease, at))).toMatchObject({ sent: 'all', units: 3, held: [] })
    await desk.part('counter', shows(desk, count + 1))
    const pointer = await desk.driver.observe.pointer(desk.ctx)
    expect(Math.max(Math.abs(pointer.x - at.x), Math.abs(pointer.y - at.y))).toBeLessThanOrEqual(1)
  }),

  it('a semantic press presses the button', ['step:press'], async (desk) => {
    const count = await desk.count()
    const { key } = await desk.part('button')
    const sent = await desk.leased((lease) => desk.step(lease, { do: 'press', key }))
    expect(sent).toMatchObject({ sent: 'all', held: [] })
    expect(sent.via).not.toBe('')
    await desk.part('counter', shows(desk, count + 1))
  }),

  it('the checkbox toggles by pointer', ['step:pointer'], (desk) =>
    toggles(desk, (node) => desk.leased((lease) => desk.click(lease, middle(node)))),
  ),

  it('the checkbox toggles by press', ['step:press'], (desk) =>
    toggles(desk, ({ key }) => desk.leased((lease) => desk.step(lease, { do: 'press', key }))),
  ),

  it('a disabled button refuses or ignores what is done to it', [], async (desk) => {
    const count = await desk.count()
    const disabled = await desk.part('disabled')
    await desk.leased(async (lease) => {
      if (desk.can('step:pointer')) await desk.click(lease, middle(disabled))
      if (desk.can('step:press')) {
        await desk.step(lease, { do: 'press', key: disabled.key }).catch((e: DeskhandError) => expect(e.code).toBe('NOT_ACTIONABLE'))
      }
      await desk.operate(lease, await desk.part('button'))
    })
    await desk.part('counter', shows(desk, count + 1))
  }),

  it('a step on an unknown key is refused with STALE_REF', ['step:press'], async (desk) => {
    const step: Step = { do: 'press', key: 'no such key' }
    await expect(desk.leased((lease) => desk.step(lease, step))).rejects.toMatchObject({ code: 'STALE_REF' })
  }),

  it('text typed into the focused field arrives exactly', ['step:text'], async (desk) => {
    const type = (text: string) =>
      desk.leased(async (lease) => {
        const field = await desk.empty(lease, 'field')
        const sent = await desk.step(lease, { do: 'text', text }, { focus: field.key })
        expect(sent).toMatchObject({ sent: 'all', units: Array.from(text).length, held: [] })
        return text
      })
    const typed = await type(EXACT).catch(async (thrown: unknown) => {
      if (desk.untyped === undefined || DeskhandError.from(thrown).code !== 'NOT_CAPABLE') throw thrown
      await desk.part('field', (n) => (n.value ?? '') === '')
      desk.gaps.push(desk.untyped)
      return type(PLAIN)
    })
    await desk.part('field', (n) => n.value === typed)
  }),

  it('text of several lines arrives in the text area line by line', ['step:text'], async (desk) => {
    await desk.leased(async (lease) => {
      await desk.empty(lease, 'area')
      await desk.step(lease, { do: 'text', text: 'first\nsecond' })
    })
    await desk.part('area', (n) => n.value === 'first\nsecond')
  }),

  it('a chord selects everything, and what is typed next replaces it', ['step:keys', 'step:text'], async (desk) => {
    await desk.leased(async (lease) => {
      await desk.empty(lease, 'field')
      await desk.step(lease, { do: 'text', text: 'before' })
      await desk.part('field', (n) => n.value === 'before')
      expect(await desk.chord(lease, 'Control', 'a')).toMatchObject({ sent: 'all', units: 4, held: [] })
      await desk.step(lease, { do: 'text', text: 'after' })
    })
    await desk.part('field', (n) => n.value === 'after')
  }),

  it('text can be set: replaced, appended and inserted', ['step:setText'], async (desk) => {
    const { key } = await desk.part('field')
    await desk.leased(async (lease) => {
      await desk.step(lease, { do: 'setText', key, text: EXACT, mode: 'replace' })
      await desk.part('field', (n) => n.value === EXACT)
      await desk.step(lease, { do: 'setText', key, text: ' 漢!', mode: 'append' })
      await desk.part('field', (n) => n.value === `${EXACT} 漢!`)
      await desk.step(lease, { do: 'setText', key, text: '<ins>', mode: 'insert' })
    })
    const { value } = await desk.part('field', (n) => n.value !== `${EXACT} 漢!`)
    expect(value?.replace('<ins>', '')).toBe(`${EXACT} 漢!`)
  }),

  it('an option of the list can be chosen', [], async (desk) => {
    for (const at of [2, 1]) await chooses(desk, at)
  }),

  it('the menu opens the dialog, and the dialog closes', [], async (desk) => {
    await withDialog(desk, async () => {
      const dialog = desk.window(await desk.nodes(), desk.fixture.dialog)
      expect(dialog?.role).toBe('dialog')
    })
  }),

  it('the clipboard gives back what was put there', ['clipboard', 'step:clipboard'], async (desk) => {
    const text = `${EXACT}\nsecond line`
    await desk.leased((lease) => desk.step(lease, { do: 'clipboard', text }))
    expect(await desk.driver.observe.readClipboard(desk.ctx)).toBe(text)
  }),
]

const shows =
  (desk: ContractDesk, count: number) =>
  (counter: FlatNode): boolean =>
    counter.name === `${desk.fixture.counter}${count}`

async function toggles(desk: ContractDesk, toggle: (checkbox: FlatNode) => Promise<unknown>): Promise<void> {
  const before = await desk.part('checkbox')
  for (const wanted of [!before.states?.checked, before.states?.checked]) {
    await toggle(await desk.part('checkbox'))
    await desk.part('checkbox', (n) => n.states?.checked === wanted)
  }
}

async function chooses(desk: ContractDesk, at: number): Promise<void> {
  const name = desk.fixture.options[at]
  const found = desk.choices(await desk.nodes())!
  await desk.leased(async (lease) => {
    if (!desk.can('step:pointer')) return void (await desk.step(lease, { do: 'select', key: found.options[at]!.key }))
    if (found.list.role === 'combobox') await desk.click(lease, middle(found.list))
    const option = await desk.until(`the option ${name} to be on the screen`, (nodes) => {
      const node = desk.choices(nodes)?.options[at]
      return node?.bounds && node.states?.visible !== false ? node : undefined
    })
    await desk.click(lease, middle(option))
  })
  await desk.until(`${name} to be chosen`, (nodes) => {
    const { list, options } = desk.choices(nodes) ?? {}
    return options?.[at]?.states?.selected || list?.value === name || list?.name === name ? true : undefined
  })
}

/** Opens the dialog through the menu, and closes it again. */
export async function withDialog(desk: ContractDesk, run: () => Promise<void>): Promise<void> {
  const { dialog, close } = desk.fixture
  if (!desk.has('dialog')) throw new NotShown(`"${desk.fixture.window}" has no dialog`)
  await desk.leased((lease) => desk.openDialog(lease))
  await desk.until('the dialog to be active', (nodes) => desk.window(nodes, dialog)?.states?.active || undefined)
  try {
    await run()
  } finally {
    await desk.leased(async (lease) => {
      const button = await desk.until('the button that closes the dialog', (nodes) => {
        const window = desk.window(nodes, dialog)
        return window && below(nodes, window).find((n) => n.role === 'button' && n.name === close)
      })
      await desk.operate(lease, button)
    })
    await desk.until('the dialog to be gone', (nodes) => (desk.window(nodes, dialog) ? undefined : true))
  }
}
