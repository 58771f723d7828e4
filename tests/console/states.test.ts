import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serious } from '../support/axe.ts'
import { ConsoleWorld } from '../support/console.ts'
import { handled } from '../support/handled.ts'

const RULES = `
[[rule]]
name = "saving asks"
toolName = "ui.click"
decision = "ask_user"
priority = 600
[rule.when]
name = "Save*"
`

async function open(...args: Parameters<typeof ConsoleWorld.open>): Promise<ConsoleWorld> {
  const on = await ConsoleWorld.open(...args)
  onTestFinished(() => on.end())
  return on
}

test('a record that cannot be read is told with its reason, never as a desktop where nothing happened, and is read once it can be', async () => {
  const on = await open('')
  await on.call('ui.click', { target: 'name="Already paid"' })
  const { journal } = on.up.ready
  renameSync(journal, `${journal}-away`)
  writeFileSync(journal, 'no folder')
  await on.page.goto(on.up.ready.url)
  await on.page.getByText('This desktop cannot be read:').waitFor()
  for (const view of ['', 'timeline', 'policy', 'settings']) {
    await on.page.goto(`${on.up.ready.url}/${view}`)
    await on.page.getByText('This desktop cannot be read:').waitFor()
    const shown = (await on.page.locator('body').textContent()) ?? ''
    for (const wrong of ['No question waits', 'Nothing has been done', 'The record is empty', 'does not answer'])
      expect(shown).not.toContain(wrong)
    expect(await serious(on.page)).toEqual([])
  }
  await on.page.goto(`${on.up.ready.url}/timeline`)
  await on.page.getByText('This is shown as soon as it can be read.').waitFor()
  expect(await on.page.getByText('Loading…').count()).toBe(0)

  // Whatever else cannot be read, agents can be stopped.
  await on.page.getByRole('button', { name: 'Stop' }).click()
  await on.page.getByText('No agent can act until you resume').waitFor()
  expect(await on.call('ui.click', { target: 'name="Already paid"' })).toMatchObject({ error: { code: 'STOPPED' } })
  await on.page.getByRole('button', { name: 'Resume' }).click()
  await on.page.getByText('No agent can act until you resume').waitFor({ state: 'detached' })
  rmSync(journal)
  renameSync(`${journal}-away`, journal)
  await on.page.goto(on.up.ready.url)
  await on.page.getByText('Clicked Already paid').waitFor()
  expect(await on.page.getByText('This desktop cannot be read:').count()).toBe(0)
})

test('a part of a view says that it is being read, or why it cannot be, and is read when a person tries again', async () => {
  const on = await open(RULES)
  await on.call('ui.click', { target: 'name="Already paid"' })
  await on.page.getByText('Clicked Already paid').waitFor()
  const rules = on.page.getByRole('region', { name: 'Rules in force' })
  const { journal } = on.up.ready
  renameSync(journal, `${journal}-away`)
  writeFileSync(journal, 'no folder')
  await on.page.getByRole('link', { name: 'Policy' }).click()
  await rules.getByRole('alert').getByText('This could not be read.').waitFor()
  await on.page.getByRole('region', { name: 'Standing permissions' }).getByText('No answer holds').waitFor()
  rmSync(journal)
  renameSync(`${journal}-away`, journal)
  await rules.getByRole('button', { name: 'Try again' }).click()
  const row = rules.getByRole('row', { name: /saving asks/ })
  const count = () => row.getByRole('cell').last().textContent()
  await expect.poll(count).toBe('0')

  let goOn: () => void = () => {}
  const slow = new Promise<void>((done) => (goOn = done))
  await on.page.route('**/policy/uses', async (route) => {
    await slow
    await route.continue()
  })
  const asked = handled(on.call('ui.click', { target: 'name="Save invoice"' }))
  await on.page.reload()
  await rules.getByText('Loading…').waitFor()
  expect(await row.count()).toBe(0)
  goOn()
  await expect.poll(count).toBe('1')
  const [question] = JSON.parse((await on.world.run(['approvals', 'list', '--json'])).out) as [{ id: string }]
  await on.world.run(['approvals', 'deny', question.id])
  expect(await asked).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
})

test('a desktop without a window is told as such, and not as one that is still loading', async () => {
  const on = await open('', '', {}, (state) => {
    const ui = join(dirname(state), 'empty.ui.json')
    writeFileSync(ui, JSON.stringify({ windows: [] }))
    return Promise.resolve(['--ui', ui])
  })
  await on.page.goto(`${on.up.ready.url}/inspector`)
  await on.page.getByText('Nothing is open on this desktop.').waitFor()
})

test('while the server does not answer, the last picture stays, and no question can be answered', async () => {
  const on = await open(RULES)
  void handled(on.call('ui.click', { target: 'name="Save invoice"' }))
  const allow = on.page.getByRole('button', { name: 'Allow once' })
  await allow.waitFor()
  await on.page.locator('.vnc-viewer[data-connected=true]').waitFor()
  /** The colour in the middle of the button in question. */
  const colour = async (canvas: string): Promise<number[]> =>
    (await on.page.evaluate(`[...document.querySelector('${canvas}').getContext('2d').getImageData(56, 624, 1, 1).data]`)) as number[]
  await expect.poll(() => colour('.vnc-canvas canvas')).not.toEqual([0, 0, 0, 0])
  const shown = await colour('.vnc-canvas canvas')
  process.kill(on.up.pid, 'SIGKILL')
  await on.page.getByText('The server does not answer.').waitFor()
  await expect.poll(() => allow.isDisabled()).toBe(true)
  await on.page.locator('.vnc-last canvas').waitFor()
  expect(await colour('.vnc-last canvas')).toEqual(shown)

  // What was not loaded yet comes when the server is back, and the page is still there.
  const { port } = new URL(on.up.ready.url)
  await on.page.getByRole('link', { name: 'Timeline' }).click()
  await on.page.getByRole('main').getByText('This is read when the server is back.').waitFor()
  await on.page.getByText('The server does not answer.').waitFor()
  const again = await on.world.server('--port', port)
  await on.page.getByText('You are not signed in here.').waitFor()
  await Promise.all([on.page.waitForEvent('popup'), on.page.evaluate(`void window.open('${again.ready.open}')`)])
  await on.page.getByRole('option', { name: 'operator started the desktop' }).first().waitFor()
  expect((await on.journal()).filter((entry) => entry['what'] === 'up')).toHaveLength(2)
})
