import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostedDriver, within } from '@deskhand/core/driver'
import type { KeyEvent } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { linuxHost, shown, told } from '../support/linux.ts'

const CJK = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i * 37)).join('')
const SYMBOLS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')
const TEXT = [`(a+b)*c ${SYMBOLS}`, 'é ñ ß Ω ж ☃ € 漢 😀 👩‍🚀 e\u0301', CJK, 'aAaA\tbB 12!"12', ''].join('\n')

const ctx = within(30_000)
const chord = (...keys: string[]): KeyEvent[] => [
  ...keys.map((key): KeyEvent => ({ type: 'down', key })),
  ...keys.toReversed().map((key): KeyEvent => ({ type: 'up', key })),
]

describeDesktop('typing, checked in what the application wrote to disk', () => {
  let sandbox: Sandbox
  let driver: HostedDriver
  beforeAll(async () => {
    sandbox = await testDesktop()
    driver = await linuxHost(sandbox)
  })
  afterAll(async () => {
    await driver.close()
    await sandbox.down()
  })

  const leased = async (run: (lease: string) => Promise<unknown>): Promise<void> => {
    const lease = await driver.act.take(30_000, ctx)
    try {
      await run(lease)
    } finally {
      await driver.act.drop(lease)
    }
  }

  test('every character arrives once, in order, in mousepad', async () => {
    const file = join(sandbox.env.HOME ?? '', 'typed.txt')
    await leased(async (lease) => {
      const launched = await driver.act.step(lease, { do: 'launch', app: 'mousepad', args: [file] }, {}, ctx)
      expect(launched).toMatchObject({ sent: 'all', detail: { pid: expect.any(Number) as number } })
      await shown(driver, 'typed.txt')
      // A window is known by another key once its application has registered.
      await told(driver)
      const window = await shown(driver, 'typed.txt')
      for (let round = 0; round < 3; round++) {
        const sent = await driver.act.step(lease, { do: 'text', text: TEXT }, { window }, ctx)
        expect(sent).toMatchObject({ sent: 'all', units: Array.from(TEXT).length, held: [] })
      }
      await driver.act.step(lease, { do: 'keys', events: chord('Control', 's') }, { window }, ctx)
    })
    await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 10_000 }).toBe(TEXT.repeat(3))
  })

  test('and in a terminal, which has no tree', async () => {
    const file = join(sandbox.env.HOME ?? '', 'terminal.txt')
    const lines = TEXT.replaceAll('\t', ' ')
    await leased(async (lease) => {
      await driver.act.step(lease, { do: 'launch', app: 'xterm', args: ['-u8', '-T', 'Terminal', '-e', `cat > ${file}`] }, {}, ctx)
      const window = await shown(driver, 'Terminal')
      expect(await driver.act.step(lease, { do: 'text', text: lines }, { window, focus: window }, ctx)).toMatchObject({ sent: 'all' })
      await driver.act.step(lease, { do: 'keys', events: chord('Control', 'd') }, { window }, ctx)
    })
    await expect.poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 10_000 }).toBe(lines)
  })

  test('what cannot be typed is refused before anything is sent', async () => {
    await leased(async (lease) => {
      await expect(driver.act.step(lease, { do: 'text', text: 'ab\u0007cd' }, {}, ctx)).rejects.toMatchObject({ code: 'BAD_ARGS' })
      await driver.act.step(lease, { do: 'keys', events: [{ type: 'down', key: 'Control' }] }, {}, ctx)
      await expect(driver.act.step(lease, { do: 'text', text: 'w' }, {}, ctx)).rejects.toMatchObject({ code: 'NOT_ACTIONABLE' })
    })
  })
})
