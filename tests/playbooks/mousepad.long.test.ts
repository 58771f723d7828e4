import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { use, World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { onlySignedBy } from './only-signed.ts'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.end())

describeDesktop('on a real application', () => {
  test('a letter that was written and saved once is written anew by its signed playbook, with another text and another file', async () => {
    const sandbox = await bringUp({ stateDir: join(world.env['DESKHAND_STATE']!, 'sandboxes') })
    try {
      const up = (...more: string[]): unknown => world.up('--desktop', 'sandbox', '--sandbox', sandbox.record.id, ...more)
      await up()
      const agent = await world.mcp()
      const [first, second] = [join(world.dir, 'first.txt'), join(world.dir, 'second.txt')]
      const editor = await use(agent, 'desktop.launch', { app: 'mousepad' })
      expect(editor.record).toMatchObject({ status: 'success' })
      const area = /(e\d+) textbox/.exec((await use(agent, 'ui.snapshot')).text)?.[1]
      await use(agent, 'ui.type', { target: area, text: 'Dear Anna' })
      await use(agent, 'ui.key', { keys: 'ctrl+shift+s' })
      const named = await use(agent, 'ui.type', {
        target: 'role=dialog >> role=textbox && name="Name:"',
        text: first,
        mode: 'replace',
        timeoutMs: 20_000,
      })
      expect(named.record).toMatchObject({ status: 'success' })
      await use(agent, 'ui.click', { target: 'role=dialog >> role=button && name="Save"' })
      expect(await saved(first)).toBe('Dear Anna')

      const file = join(world.dir, 'letter.toml')
      const exported = await world.run(['journal', 'export', file, '--as', 'playbook', '--parameter', 'text=Dear Anna', `file=${first}`])
      expect(exported).toMatchObject({ code: 0 })
      await use(agent, 'desktop.close', { app: 'mousepad', timeoutMs: 20_000 })
      const text = readFileSync(file, 'utf8')
      expect(text).not.toMatch(/Anna|first|\bx = |\by = /)
      expect(text.match(/executable = ".*mousepad"/g)?.length).toBeGreaterThanOrEqual(4)
      expect(await world.run(['playbook', 'sign', file])).toMatchObject({ code: 0 })
      const key = (await world.run(['playbook', 'key'])).out.trim()
      await world.stop()

      await up('--policy', world.file('policy.toml', onlySignedBy(key)))
      const played = await world.run(['play', file, '--with', 'text=Dear Berta', `file=${second}`])
      expect({ ...played, out: played.out.match(/^\d+/gm) }).toMatchObject({ code: 0, err: '', out: ['1', '2', '3', '4', '5'] })
      expect(await saved(second)).toBe('Dear Berta')
    } finally {
      await world.stop()
      await sandbox.down()
    }
  }, 120_000)
})

/** What a file says, once it is there. */
async function saved(file: string): Promise<string> {
  for (let i = 0; i < 200; i++) {
    try {
      const text = readFileSync(file, 'utf8').trim()
      if (text !== '') return text
    } catch {
      // Not there yet.
    }
    await sleep(50)
  }
  throw new Error(`${file} was not written`)
}
