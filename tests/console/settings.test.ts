import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleWorld } from '../support/console.ts'

let on: ConsoleWorld
beforeAll(async () => {
  on = await ConsoleWorld.open(
    '',
    '[avis]\ncan_execute_code = false\nhardware = "simulated"\n[privacy]\ntreeless = "mask"\n[journal]\nkeepDays = 30\n[evidence]\nkeepMegabytes = 500\n',
  )
})
afterAll(() => on?.end())

/** What a client with this token gets for a look at the desktop. */
const look = async (token: string): Promise<number> => {
  const answer = await fetch(`${on.up.ready.url}/api/v1/desktops/virtual/tools/ui.snapshot`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"args":{}}',
  })
  return answer.status
}

test('a token that is made here lets a client in with the snippet beside it, and no longer once it was removed', async () => {
  expect(await on.call('avis.execute_code', { code: 'print(1)' })).toMatchObject({ status: 'error' })
  await on.page.goto(`${on.up.ready.url}/settings`)
  const clients = on.page.getByRole('region', { name: 'Connect a client' })
  await clients.getByRole('textbox').fill('far-away')
  await clients.getByRole('button', { name: 'Make a token' }).click()
  const snippet = await clients.getByRole('status').locator('pre').textContent()
  const { deskhand } = (JSON.parse(snippet ?? '') as { mcpServers: { deskhand: { url: string; headers: { Authorization: string } } } })
    .mcpServers
  const token = deskhand.headers.Authorization.replace('Bearer ', '')
  expect(deskhand.url).toBe(`${on.up.ready.url}/desktops/virtual/mcp`)
  expect(await look(token)).toBe(200)
  expect((await on.journal()).filter((entry) => entry['what'] === 'token')).toMatchObject([{ detail: { id: 'far-away', role: 'agent' } }])
  expect(JSON.stringify(await on.journal())).not.toContain(token)
  await clients.getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => look(token)).toBe(401)
})

test('the page says what is missing on the machine, as the command does, and what the simulated agent may', async () => {
  const found = JSON.parse((await on.world.run(['doctor', '--json'])).out) as { what: string; ok: boolean; fix?: string }[]
  const doctor = on.page.getByRole('region', { name: 'This machine' })
  for (const { what, fix } of found.filter(({ what }) => what.startsWith('python') || what === 'host desktop')) {
    await doctor.getByText(what, { exact: false }).first().waitFor()
    if (fix !== undefined) expect(await doctor.textContent()).toContain(fix)
  }
  const inForce = on.page.getByRole('region', { name: 'Configuration in force' })
  await expect.poll(() => inForce.textContent()).toContain('may run codeno')
  expect(await inForce.textContent()).toMatch(
    /Privacywindows without a tree in picturesmask.*Record.*kept for days30.*Evidence.*kept up to megabytes500/,
  )
  const { data } = await on.call('avis.get_simulation_state', {})
  const { details } = (data as { current_sim_hardware_status: { details: { source: string; cpu_cores: number; disk_total_mb: number } } })
    .current_sim_hardware_status
  expect(details).toMatchObject({ source: 'simulated', cpu_cores: expect.any(Number) })
  await expect
    .poll(() => inForce.textContent())
    .toMatch(new RegExp(`simulatedprocessor cores${details.cpu_cores}.*disk, MB${details.disk_total_mb}`))
})

test('a desktop is started and ended here, under the policy that was chosen', async () => {
  expect(await on.call('ui.snapshot', {})).toMatchObject({ status: 'success' })
  await on.page.goto(`${on.up.ready.url}/settings`)
  const desktops = on.page.getByRole('region', { name: 'Desktops' })
  await desktops.getByRole('textbox', { name: 'Name' }).fill('second')
  await desktops.getByRole('combobox', { name: 'Kind' }).selectOption('virtual')
  await desktops.getByRole('combobox', { name: 'Preset' }).selectOption('observe')
  await desktops.getByRole('button', { name: 'Start desktop' }).click()
  await desktops.getByText('second').waitFor()
  const click = () => on.world.run(['--name', 'second', 'call', 'ui.click', JSON.stringify({ target: 'name="Already paid"' })])
  expect((await click()).out).toContain('DENIED')
  await desktops.locator('.acts').filter({ hasText: 'second' }).getByRole('button', { name: 'End desktop' }).click()
  await desktops.getByText('second').waitFor({ state: 'detached' })
  expect((await click()).err).toContain('NO_BROKER')
})

test('a script that takes longer than an operator set here is ended, beside the version that runs it', async () => {
  on.world.file('deskhand.toml', '[policy]\nfiles = ["rules.toml"]\n')
  await on.page.goto(`${on.up.ready.url}/settings`)
  const python = on.page.getByRole('region', { name: 'Python' })
  const field = python.getByRole('spinbutton', { name: 'Ends a script after' })
  const sleep = () => on.world.run(['call', 'python.run', JSON.stringify({ code: 'import time\ntime.sleep(30)' })])
  await field.fill('3601')
  await python.getByRole('button', { name: 'Change' }).click()
  expect(await python.locator('input:invalid').count()).toBe(1)
  await field.fill('1')
  await python.getByRole('button', { name: 'Change' }).click()
  await python.getByRole('status').waitFor()
  expect((await sleep()).out).toContain('PYTHON_TIMEOUT')
  expect((await on.journal()).filter((entry) => entry['what'] === 'python')).toMatchObject([{ detail: { timeout: 1 } }])
  const found = JSON.parse((await on.world.run(['doctor', '--json'])).out) as { what: string; detail: string }[]
  const version = found.find(({ what }) => what === 'python (bundled)')?.detail
  await python.getByText(String(version), { exact: true }).waitFor()
  expect((await on.world.run(['settings', 'python'])).out).toBe('python.run may take 1 s\n')
  expect(await on.world.run(['settings', 'python', '3601'])).toMatchObject({ code: 2, err: expect.stringContaining('3600') })
  expect((await on.world.run(['settings', 'python', '90'])).out).toBe('python.run may take 90 s\n')
  await on.page.reload()
  await expect.poll(() => field.inputValue()).toBe('90')
})
