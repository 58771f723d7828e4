import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BIN } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'

vi.setConfig({ testTimeout: 180_000 })

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/hardening.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, lang, code]) => (lang === language ? [code ?? ''] : []))

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

/** Users are added to a copy of /etc in a mount namespace of their own, which ends with the test. */
const WORLD = `set -eu
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /mnt
mkdir /mnt/etc && cp -a /etc/. /mnt/etc/ && mount --bind /mnt/etc /etc
for dir in /run /home /var/log /var/backups; do mount -t tmpfs -o mode=755 none $dir; done
mkdir /mnt/lib && cp -a /var/lib/dbus /var/lib/xkb /mnt/lib/ 2>/dev/null || true
mount --bind /mnt/lib /var/lib
`

describe.skipIf(!canMount && process.env['CI'] === undefined)('docs/hardening.md', () => {
  describeDesktop('with real users in a world of its own', () => {
    let dir: string
    beforeAll(() => {
      dir = mkdtempSync(join(tmpdir(), 'dh-hardening-'))
      chmodSync(dir, 0o755)
      writeFileSync(join(dir, 'deskhand'), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`, { mode: 0o755 })
    })
    afterAll(() => rmSync(dir, { recursive: true, force: true }))

    test('its commands do what it says, from the first user to the restored backup', async () => {
      const [unit = ''] = blocks('ini')
      const key = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
      const sh = blocks('sh')
      const asked = sh.findIndex((code) => code.includes('deskhand doctor'))
      const step = (code: string, i: number): string => `echo "== ${i}"\n${code}`
      const script = [
        WORLD,
        ...sh.slice(0, asked).map(step),
        // What the service manager does with the unit.
        `runuser -u ${key('User')} -- env ${key('Environment')} ${key('ExecStart')} > /mnt/up.log 2>&1 &`,
        'for i in $(seq 300); do [ -S /run/deskhand/sandbox/socket ] && break; sleep 0.1; done; cat /mnt/up.log',
        ...sh.slice(asked).map((code, i) => step(code, asked + i)),
        'echo "== done"',
      ].join('\n')
      const child = spawn('unshare', ['-m', 'bash', '-c', script], {
        env: { PATH: `${dir}:${process.env['PATH'] ?? ''}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (out += text))
      const code = await new Promise((done) => child.once('close', done))
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('== done') })
      expect(out).toMatch(/trust +enforced/)
      expect(out.match(/externally anchored to \d+/g)?.length).toBe(2)
    })
  })

  test('the service unit is one, as far as it can be checked here', () => {
    const [unit = ''] = blocks('ini')
    for (const section of ['[Unit]', '[Service]', '[Install]']) expect(unit).toContain(section)
    const check = spawnSync('systemd-analyze', ['verify', '--man=no', '/dev/stdin'], { input: unit, encoding: 'utf8' })
    if (check.error === undefined) expect(check.stderr).not.toMatch(/Unknown (key|section)/)
  })
})
