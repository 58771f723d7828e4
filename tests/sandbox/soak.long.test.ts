import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DesktopCommand, left } from '../support/desktop-command.ts'
import { describeDesktop } from '../support/desktop.ts'

const TIMES = 30

describeDesktop('a sandbox, thirty times', () => {
  let world: DesktopCommand
  beforeEach(() => {
    world = new DesktopCommand()
  })
  afterEach(() => world.end())

  test('up with a program and down leaves no process, no socket and no folder', { timeout: 10 * 60_000 }, async () => {
    const [since, took] = [Date.now(), [] as number[]]
    for (let i = 0; i < TIMES; i++) {
      const started = Date.now()
      const up = await world.bringUp('--file', world.yaml('startup: ["xterm &"]'))
      took.push(Date.now() - started)
      // Every third is left by a broker that is killed, which cannot clear up.
      if (i % 3 === 0) {
        const { pid } = await world.up('--desktop', 'sandbox', '--sandbox', up.id, '--name', `n${i}`)
        process.kill(pid, 'SIGKILL')
      }
      expect(await world.desktop('down', up.id)).toMatchObject({ code: 0 })
      expect(left(up)).toEqual([])
      expect(readdirSync(tmpdir()).filter((name) => name.includes(up.id))).toEqual([])
    }
    const middle = took.toSorted((a, b) => a - b)[TIMES / 2]
    console.log(
      `sandboxes: ${TIMES} up and down in ${((Date.now() - since) / 1000).toFixed(1)} s, the command to bring one up took ${middle} ms (median)`,
    )
    expect(JSON.parse((await world.desktop('list', '--json')).out)).toEqual([])
  })
})
