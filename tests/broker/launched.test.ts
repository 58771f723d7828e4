import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { World } from '../support/cli.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'

const EVIDENCE_KEY = 'c0ffee'.repeat(10) + 'abcd'
const PIN = 'pin-of-the-operator'
const VALUE = 'value-of-the-operator'

const FREE = `[[rule]]
toolName = "*"
decision = "allow"
priority = 900
when = { risk = ["low", "medium", "high"] }
`

/** What each process of a launched program got from us: its environment, its words, and those of its parent. */
const LEAK = '(env; tr "\\0" "\\n" < /proc/$PPID/environ; cat /proc/$PPID/cmdline /proc/self/cmdline) > "$0"; mv "$0" "$0.done"'

describeDesktop('a program that an agent starts', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await testDesktop()
  })
  afterAll(() => sandbox.down())

  test.each(['host', 'sandbox'])(
    'inherits no secret of the operator’s on a %s desktop, nor does the process that starts it',
    async (kind) => {
      const { DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS } = sandbox.env
      const desktop = { DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, AT_SPI_BUS_ADDRESS } as Record<string, string>
      const world = new World({ ...desktop, EVIDENCE_KEY, BANK_PIN: PIN, COPY_OF_PIN: `x${PIN}`, HARMLESS: 'kept' })
      try {
        world.file('deskhand.toml', `[policy]\nmode = "allow_actual_input_full"\n[evidence]\nkeyEnv = "EVIDENCE_KEY"\n`)
        mkdirSync(join(world.dir, 'state'), { mode: 0o700 })
        writeFileSync(
          join(world.dir, 'state', 'secrets.toml'),
          `[bank]\nenv = "BANK_PIN"\napps = ["x"]\n[mail]\nvalue = "${VALUE}"\napps = ["x"]\n`,
          {
            mode: 0o600,
          },
        )
        await world.up('--desktop', kind, '--policy', world.file('free.toml', FREE))
        const loot = join(world.dir, 'loot')
        await world.run(['call', 'desktop.launch', JSON.stringify({ app: 'sh', args: ['-c', LEAK, loot], timeoutMs: 3_000 })])
        await expect.poll(() => existsSync(`${loot}.done`), { timeout: 20_000 }).toBe(true)
        const found = readFileSync(`${loot}.done`, 'latin1')
        expect(found).toContain('DISPLAY=')
        if (kind === 'host') expect(found).toContain('HARMLESS=kept')
        for (const secret of [EVIDENCE_KEY, PIN, VALUE]) expect(found).not.toContain(secret)
      } finally {
        await world.end()
      }
    },
  )
})
