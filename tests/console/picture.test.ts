import { chmodSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'

const RULES = `
[[rule]]
name = "archiving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = "Archive"
`
const OFFICE = resolve(import.meta.dirname, '../../packages/deskhand/demo/office.ui.json')

let on: ConsoleWorld
beforeAll(async () => void (on = await ConsoleWorld.open(RULES, '', {}, () => Promise.resolve(['--ui', OFFICE]))))
afterAll(() => on?.end())
beforeEach(async () => {
  await on.page.goto(on.up.ready.url)
  await on.page.locator('.vnc-viewer[data-connected=true]').waitFor()
})

interface Place {
  x: number
  y: number
  w: number
  h: number
}

const boundsOf = async (selector: string): Promise<Place> => {
  const { data } = await on.call('ui.query', { selector })
  return (data as { matches: [{ bounds: Place }] }).matches[0].bounds
}

/** Where on the page a place of the desktop is. */
async function onPage({ x, y, w, h }: Place): Promise<Place> {
  const canvas = (await on.page.locator('.vnc-canvas canvas').boundingBox())!
  const scale = canvas.width / 1280
  return { x: canvas.x + x * scale, y: canvas.y + y * scale, w: w * scale, h: h * scale }
}

/** Asks the page until a box with these words lies around that place of the desktop. */
async function expectBox(look: string, words: string, bounds: Place): Promise<void> {
  const { x, y, w, h } = await onPage(bounds)
  const box = on.page.locator(`.box.${look}`).filter({ hasText: words })
  await expect
    .poll(async () => {
      const found = await box.boundingBox()
      return found !== null && [found.x - x, found.y - y, found.width - w, found.height - h].every((off) => Math.abs(off) < 3)
    })
    .toBe(true)
}

async function pointAt(bounds: Place): Promise<void> {
  const { x, y, w, h } = await onPage(bounds)
  await on.page.mouse.move(x + w / 2, y + h / 2)
}

const answer = async (what: 'allow' | 'deny'): Promise<void> => {
  const [question] = JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as [{ id: string }]
  await on.world.run(['approvals', what, question.id])
}

test('the header says which desktop it is, in which mode, how far it is to be trusted and why, and who has the controls', async () => {
  const { page } = on
  await on.call('ui.click', { target: 'name="Already paid"' })
  const headers = { authorization: `Bearer ${on.world.token('virtual', 'operator')}` }
  const answer = await fetch(`${on.up.ready.url}/api/v1/desktops/virtual`, { headers })
  const { trust } = (await answer.json()) as { trust: { level: string; why: string } }
  const header = page.getByRole('banner')
  expect(await header.getByRole('combobox', { name: 'Desktop' }).inputValue()).toBe('virtual')
  await header.getByText('simulation only').waitFor()
  expect((await on.world.run(['mode'])).out.trim()).toBe('simulation_only')
  await header.getByText(`rules ${trust.level}`, { exact: true }).hover()
  await expect.poll(() => page.getByRole('tooltip').textContent()).toContain(trust.why)
  await header.getByText('agents have the controls').waitFor()
  for (const [key, words, done] of [
    ['p', 'paused', 'pause'],
    ['p', 'agents have the controls', 'resume'],
  ] as const) {
    await page.keyboard.press(key)
    await header.getByText(words, { exact: true }).waitFor()
    expect((await on.journal()).at(-1)).toMatchObject({ type: 'operator', what: done })
  }
})

test('the header says that the policy is enforced where agents are other users, and come in by a door of their own', async () => {
  let door = ''
  const locked = await ConsoleWorld.open('', '', {}, (state) => {
    door = join(dirname(state), 'door')
    chmodSync(dirname(state), 0o710)
    return Promise.resolve(['--agent-group', String(process.getgid!()), '--door', door])
  })
  onTestFinished(() => locked.end())
  const { tools } = await (await locked.world.mcp('auto', { DESKHAND_DOOR: door })).listTools()
  expect(tools.length).toBeGreaterThan(0)
  const trust = locked.page.getByRole('banner').getByText('rules enforced', { exact: true })
  await trust.hover()
  await expect.poll(() => locked.page.getByRole('tooltip').textContent()).toContain('they cannot get around Deskhand')
})

test('the element under the pointer is named with its role on the live picture, also where it went', async () => {
  const before = await boundsOf('name="Save while typing"')
  await pointAt(before)
  await expectBox('hover', 'switch “Save while typing”', before)
  await on.call('ui.window', { target: 'role=window && name="Settings"', op: 'move', bounds: { x: 830, y: 424 } })
  const after = await boundsOf('name="Save while typing"')
  expect(after).not.toEqual(before)
  await pointAt(after)
  await expectBox('hover', 'switch “Save while typing”', after)
  await on.page.mouse.move(2, 2)
  await expect.poll(() => on.page.locator('.box.hover').count()).toBe(0)
})

test('what an agent is at is marked where it lies, and no longer once it is done', async () => {
  const marked = expectBox('step', 'checkbox “Already paid”', await boundsOf('name="Already paid"'))
  await on.call('ui.click', { target: 'name="Already paid"' })
  await marked
  await expect.poll(() => on.page.locator('.box.step').count()).toBe(0)

  const bounds = await boundsOf('name="Archive"')
  const asked = on.call('ui.click', { target: 'name="Archive"' })
  await expectBox('asked', '?', bounds)
  // The mark has the risk's colour, and covers nothing of what it is about.
  const asking = on.page.locator('.box.asked')
  expect(await asking.getAttribute('class')).toMatch(/ (low|medium|high) /)
  const [place, mark] = [(await asking.boundingBox())!, (await asking.locator('span').boundingBox())!]
  expect(mark.x >= place.x + place.width - 4 && mark.y + mark.height <= place.y + 4).toBe(true)
  // The card says what it is; a label would cover what is beside it.
  expect(await on.page.locator('.box.step').count()).toBe(0)
  await answer('deny')
  await asked
  await expect.poll(() => on.page.locator('.box.asked, .box.step').count()).toBe(0)
})

test('a question is heard as two tones on a page that a person has touched, and its time runs out in the ring', async () => {
  const { page } = on
  await page.evaluate(`
    window.tones = []
    OscillatorNode = class extends OscillatorNode { start(at) { window.tones.push(this.frequency.value); super.start(at) } }
  `)
  const tones = () => page.evaluate('window.tones')
  await page.getByRole('heading', { name: 'No question waits' }).click()
  const asked = on.call('ui.click', { target: 'name="Archive"' })
  await expect.poll(tones).toEqual([660, 880])
  const ring = page.getByRole('article').locator('.ring .rest')
  /** How much of the ring is left. */
  const left = async (): Promise<number> => Number.parseFloat((await ring.getAttribute('stroke-dasharray')) ?? '')
  const first = await left()
  expect(first).toBeGreaterThan(0)
  await expect.poll(left).toBeLessThan(first)
  await answer('deny')
  await asked

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('checkbox', { name: 'Play a sound' }).uncheck()
  const silent = on.call('ui.click', { target: 'name="Archive"' })
  await expect.poll(() => page.title()).toMatch(/^\(1\)/)
  await page.getByText('An agent waits for you').waitFor()
  expect(await tones()).toEqual([660, 880])
  await answer('deny')
  await silent
})

test('T takes the controls and F8 gives them back, and the record says so', async () => {
  const { page } = on
  await page.getByText('agents have the controls').waitFor()
  await page.keyboard.press('t')
  await page.getByText('you have the controls').waitFor()
  const frame = page.locator('.frame.mine')
  await frame.waitFor({ state: 'attached' })
  expect(await on.call('ui.click', { target: 'name="Already paid"', timeoutMs: 200 })).toMatchObject({
    error: { code: 'HUMAN_AT_CONTROLS' },
  })
  await page.keyboard.press('F8')
  await page.getByText('agents have the controls').waitFor()
  await frame.waitFor({ state: 'detached' })
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ effect: 'confirmed' })
  const did = (await on.journal()).filter(({ type }) => type === 'operator').map(({ what }) => what)
  expect(did.slice(-2)).toEqual(['takeover', 'handback'])
})

test('the tree follows the desktop while it is looked at, and a chosen row is outlined where its element went', async () => {
  await on.page.goto(`${on.up.ready.url}/inspector`)
  const rows = on.page.getByRole('listbox', { name: 'Elements' }).getByRole('option')
  const filter = on.page.getByRole('searchbox', { name: 'Filter by name or role' })
  await filter.fill('Saved invoices')
  await expect.poll(() => rows.allTextContents()).toEqual(['label Saved invoices: 0'])
  await on.call('ui.type', { target: 'name="Customer"', text: 'Ada' })
  await on.call('ui.type', { target: 'name="Amount"', text: '10' })
  await on.call('ui.click', { target: 'name="Save invoice"' })
  await expect.poll(() => rows.allTextContents()).toEqual(['label Saved invoices: 1'])

  await filter.fill('Keep a copy')
  await rows.click()
  await expectBox('hover', 'Keep a copy', await boundsOf('name^="Keep a copy"'))
  await on.call('ui.window', { target: 'role=window && name="Settings"', op: 'move', bounds: { x: 822, y: 404 } })
  await expectBox('hover', 'Keep a copy', await boundsOf('name^="Keep a copy"'))
})

test('the raw entries of a step are those of the record, to the letter', async () => {
  const { op } = await on.call('ui.click', { target: 'name="Already paid"' })
  await on.page.goto(`${on.up.ready.url}/timeline?op=${op}`)
  await on.page.getByText('Raw entries').click()
  const entries = (await on.journal()).filter((entry) => entry['op'] === op).map((entry) => JSON.stringify(entry, null, 2))
  expect(entries.length).toBeGreaterThan(1)
  await expect.poll(() => on.page.locator('details > pre').textContent()).toBe(entries.join('\n'))
})
