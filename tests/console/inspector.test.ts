import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { BIN } from '../support/cli.ts'
import { ConsoleWorld } from '../support/console.ts'

const RULES = `
[[rule]]
name = "no archive"
toolName = "ui.click"
decision = "deny"
priority = 600
[rule.when]
name = "Archive"
`

let on: ConsoleWorld
beforeAll(async () => {
  on = await ConsoleWorld.open(RULES)
  await on.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: on.up.ready.url })
  await on.call('ui.snapshot', {})
  await on.page.goto(`${on.up.ready.url}/inspector`)
})
afterAll(() => on?.end())

interface Looked {
  bounds: { x: number; y: number; w: number; h: number }
  states: { checked: boolean }
}
interface Box {
  x: number
  y: number
  width: number
  height: number
}
interface Placed {
  getBoundingClientRect(): { toJSON(): unknown }
}
const look = async (): Promise<Looked> => {
  const { data } = await on.call('ui.query', { selector: 'name="Already paid"' })
  return (data as { matches: [Looked] }).matches[0]
}
const rows = () => on.page.getByRole('listbox', { name: 'Elements' }).getByRole('option')

test('an element is chosen on the picture and found in the tree, and the other way round', async () => {
  await on.page.locator('.vnc-viewer[data-connected=true]').waitFor()
  await rows().first().waitFor()
  const { bounds } = await look()
  const canvas = (await on.page.locator('.vnc-canvas canvas').boundingBox())!
  const scale = canvas.width / 1280
  await on.page.mouse.click(canvas.x + (bounds.x + bounds.w / 2) * scale, canvas.y + (bounds.y + bounds.h / 2) * scale)
  const chosen = rows().and(on.page.locator('[aria-selected=true]'))
  await expect.poll(() => chosen.textContent()).toContain('Already paid')
  await rows().filter({ hasText: 'Archive' }).hover()
  const box = on.page.locator('.box.hover').filter({ hasText: 'Archive' })
  await box.waitFor()
  const { data } = await on.call('ui.query', { selector: 'name="Archive"' })
  const [{ bounds: real }] = (data as { matches: [Looked] }).matches
  const outlined = (await box.boundingBox())!
  expect(outlined.x - canvas.x).toBeCloseTo(real.x * scale, -1)
  expect(outlined.y - canvas.y).toBeCloseTo(real.y * scale, -1)
})

test('the properties of an element are those that an agent is told', async () => {
  const { data } = await on.call('ui.query', { selector: 'name="Amount" && role=textbox' })
  const [told] = (data as { matches: [{ role: string; name: string; bounds: Looked['bounds']; states: Record<string, unknown> }] }).matches
  await rows()
    .filter({ hasText: /^textbox Amount$/ })
    .click()
  const facts = on.page.getByRole('region', { name: 'Element' }).locator('.facts')
  const { x, y, w, h } = told.bounds
  await expect.poll(() => facts.textContent()).toContain(`boundsx ${x}, y ${y}, w ${w}, h ${h}`)
  const shown = (await facts.textContent()) ?? ''
  expect(shown).toContain(`role${told.role}name${told.name}`)
  for (const [state, holds] of Object.entries(told.states)) if (holds === true) expect(shown).toContain(state)
})

test('a call that is copied does what it says when it is run', async () => {
  await rows().filter({ hasText: 'Already paid' }).click()
  const copied = async (face: string): Promise<string> => {
    await on.page.getByRole('button', { name: `Copy: ${face}` }).click()
    return (await on.page.evaluate('navigator.clipboard.readText()')) as string
  }
  const before = (await look()).states.checked
  const bin = join(on.world.dir, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'deskhand'), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`)
  chmodSync(join(bin, 'deskhand'), 0o755)
  execFileSync('sh', ['-c', await copied('Command line')], { env: { ...on.world.env, PATH: `${bin}:${process.env['PATH']}` } })
  expect((await look()).states.checked).toBe(!before)
  const { params } = JSON.parse(await copied('MCP')) as { params: { name: string; arguments: Record<string, unknown> } }
  await (await on.world.mcp()).callTool(params)
  expect((await look()).states.checked).toBe(before)
  const [, tool, args] = /^await desk\.call\('(.+)', (.+)\)$/.exec(await copied('TypeScript')) ?? []
  await on.call(tool!, JSON.parse(args!))
  expect((await look()).states.checked).toBe(!before)
})

test('a selector that matches nothing says why not, and one that does has its confidence and the word of the policy', async () => {
  const field = on.page.getByRole('textbox', { name: 'Selector' })
  const said = on.page.getByRole('region', { name: 'Element' }).getByRole('status')
  await field.fill('role=button && name="Archve"')
  await expect.poll(() => said.textContent()).toMatch(/nothing matches.*Archive/)
  await field.fill('role=button && name="Archive"')
  await expect.poll(() => said.textContent()).toMatch(/1 match.*Archive.*\d+%.*Deny.*no archive/)
  await on.page.locator('.box.step').filter({ hasText: 'Archive' }).waitFor()
  expect(await on.call('ui.click', { target: 'role=button && name="Archive"' })).toMatchObject({ error: { code: 'DENIED' } })
})

test('several matches are numbered on the picture as in the list, and no mark lies on another', async () => {
  const { data } = await on.call('ui.query', { selector: 'role=button' })
  const { matches } = data as { matches: { name: string }[] }
  expect(matches.length).toBeGreaterThan(1)
  await rows().filter({ hasText: 'Archive' }).click()
  await on.page.getByRole('textbox', { name: 'Selector' }).fill('role=button')
  const marks = on.page.locator('.overlay .box.number span')
  await expect.poll(() => marks.allTextContents()).toEqual(matches.map((_, i) => String(i + 1)))
  const listed = await on.page.locator('.match').allTextContents()
  expect(listed.map((text) => text.trim())).toEqual(
    matches.map(({ name }, i) => expect.stringMatching(new RegExp(`^${i + 1} button “${name}”`))),
  )
  // What was pointed at has no label then: the list has its name.
  await expect.poll(() => on.page.locator('.overlay .box.hover span').count()).toBe(0)
  const places = await marks.evaluateAll((all) => all.map((mark) => (mark as unknown as Placed).getBoundingClientRect().toJSON() as Box))
  const apart = (a: Box, b: Box): boolean => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
  for (const [i, a] of places.entries()) for (const b of places.slice(i + 1)) expect(apart(a, b)).toBe(true)
  expect(await serious(on.page)).toEqual([])
})

test('what is hidden from everybody is marked as such on the picture, where it lies', async () => {
  const ui = [{ element_id: 'pin', element_type: 'password_field', label_text: 'PIN', value: '1234' }]
  const vault = await ConsoleWorld.open('', '', {}, async (state) => {
    const file = join(dirname(state), 'vault.json')
    writeFileSync(file, JSON.stringify(ui))
    return ['--ui', file]
  })
  try {
    const { data } = await vault.call('ui.query', { selector: 'name="PIN"' })
    const [{ bounds }] = (data as { matches: [Looked] }).matches
    const mark = vault.page.locator('.box.hidden')
    await expect.poll(() => mark.textContent()).toBe('hidden from everybody')
    const [place, canvas] = [(await mark.boundingBox())!, (await vault.page.locator('.vnc-canvas canvas').boundingBox())!]
    const scale = canvas.width / 1280
    expect(place.x - canvas.x).toBeCloseTo(bounds.x * scale, -1)
    expect(place.width).toBeGreaterThan(0)
    expect(place.width).toBeLessThan(canvas.width / 2)
  } finally {
    await vault.end()
  }
})
