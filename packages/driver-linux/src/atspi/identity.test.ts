import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bundleOf, identify, runsOf, text } from './identity.ts'

const dir = mkdtempSync(join(tmpdir(), 'dh-identity-'))
const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

/** Starts a program and waits until it is that program, and not yet its parent's copy. */
async function run(command: string, args: string[]): Promise<ReturnType<typeof identify>> {
  const child = spawn(command, args, { cwd: dir, stdio: 'ignore' })
  started.push(child)
  for (let i = 0; i < 400; i++) {
    if (readlinkSync(`/proc/${child.pid}/exe`) !== process.execPath || command === process.execPath) break
    await new Promise((r) => setTimeout(r, 10))
  }
  for (let i = 0; i < 400; i++) {
    const found = identify('a', child.pid, 'Calls itself something', undefined)
    if (found.runs !== undefined) return found
    await new Promise((r) => setTimeout(r, 10))
  }
  return identify('a', child.pid, 'Calls itself something', undefined)
}

test('two scripts of one interpreter are two applications', async () => {
  for (const name of ['one.py', 'two.py']) writeFileSync(join(dir, name), 'import time\ntime.sleep(60)\n')
  const [one, two] = [await run('/usr/bin/python3', ['-u', 'one.py']), await run('/usr/bin/python3', [join(dir, 'two.py'), '--x'])]
  expect(one.executable).toBe(two.executable)
  expect([one.runs, two.runs]).toEqual([join(dir, 'one.py'), join(dir, 'two.py')])
})

test('a script of the shell, and one of Node', async () => {
  writeFileSync(join(dir, 'wait.sh'), 'read x < /dev/zero\nsleep 60\n')
  writeFileSync(join(dir, 'wait.mjs'), 'setInterval(() => {}, 1000)\n')
  expect((await run('/bin/sh', ['wait.sh'])).runs).toBe(join(dir, 'wait.sh'))
  expect((await run(process.execPath, ['--no-warnings', 'wait.mjs'])).runs).toBe(join(dir, 'wait.mjs'))
})

describe('what a command line runs', () => {
  test.each([
    ['/usr/bin/python3.11', ['python3', '-m', 'http.server'], 'module http.server'],
    ['/usr/bin/python3.11', ['python3', '-c', 'print()'], 'code given to python3.11'],
    ['/usr/bin/python3.11', ['python3', '-Ic', 'print()', 'mail.py'], 'code given to python3.11'],
    ['/usr/bin/python3.11', ['python3', '-cprint()'], 'code given to python3.11'],
    ['/usr/bin/python3.11', ['python3', '-Wignore', '-Bs', '/a/mail.py'], '/a/mail.py'],
    ['/usr/bin/python3.11', ['python3', '-Imhttp.server'], 'module http.server'],
    ['/usr/bin/bash', ['bash', '-ec', 'rm -rf /'], 'code given to bash'],
    ['/usr/bin/perl', ['perl', '-we', 'print'], 'code given to perl'],
    ['/usr/bin/node', ['node', '-pe', '1'], 'code given to node'],
    ['/usr/bin/python3.11', ['python3', '-W', 'ignore', 'a.py'], '/w/a.py'],
    ['/usr/lib/jvm/java-17/bin/java', ['java', '-Xmx1g', '-cp', 'x.jar', 'org.app.Main', '-jar'], 'class org.app.Main'],
    ['/usr/lib/jvm/java-17/bin/java', ['java', '-jar', 'app.jar'], '/w/app.jar'],
    ['/usr/bin/perl', ['perl', '-w', '/opt/x.pl'], '/opt/x.pl'],
    ['/usr/bin/dash', ['sh', '-c', 'rm -rf /'], 'code given to dash'],
    ['/usr/lib/electron/electron', ['electron', '/opt/notes'], '/opt/notes'],
    ['/usr/lib/wine/wine64-preloader', ['C:\\Tools\\x', '/opt/bank/bank.exe', '/open'], '/opt/bank/bank.exe'],
    ['/usr/bin/mousepad', ['mousepad', 'a.py'], undefined],
  ])('%s %j', (executable, args, runs) => {
    expect(runsOf(executable, args, '/w')).toBe(runs)
  })
})

test.each([
  ['[Application]\nname=org.gimp.GIMP\nruntime=x\n', undefined, 'flatpak org.gimp.GIMP'],
  [undefined, '0::/user.slice/user-1000.slice/app.slice/snap.firefox.firefox-1f2e.scope\n', 'snap firefox'],
  [undefined, '0::/user.slice/app.slice/app-gnome-org.gnome.gedit-4711.scope\n', 'desktop entry org.gnome.gedit'],
  [undefined, '0::/init.scope\n', undefined],
])('the bundle of %j and %j is %s', (flatpak, cgroup, bundle) => {
  expect(bundleOf(flatpak, cgroup)).toBe(bundle)
})

test('a file of an application that waits, never ends or leads elsewhere is not read', () => {
  execFileSync('mkfifo', [join(dir, 'fifo')])
  writeFileSync(join(dir, 'plain'), 'x'.repeat(100_000))
  symlinkSync('/dev/zero', join(dir, 'endless'))
  symlinkSync(join(dir, 'plain'), join(dir, 'elsewhere'))
  for (const name of ['fifo', 'endless', 'elsewhere', '.', 'none']) expect([name, text(join(dir, name))]).toEqual([name, undefined])
  expect(text(join(dir, 'plain'))).toHaveLength(65_536)
})
