import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mend } from '../../packages/deskhand/src/desktop/keeper.ts'
import { identify, isAlive, type ProcessId } from '@deskhand/core/platform'
import { bringUp, type Sandbox } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { describeDesktop } from '../support/desktop.ts'
import { PYTHON, fixture } from '../support/linux.ts'

let stateDir: string
let sandbox: Sandbox
let child: ChildProcess
/** A process outside that no application may end. */
let bystander: ProcessId

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
  child = spawn('sleep', ['600'])
  bystander = identify(child.pid ?? 0)!
})
afterEach(async () => {
  await sandbox.down()
  child.kill()
  rmSync(stateDir, { recursive: true, force: true })
})

/** Runs a shell line as an application of the desktop; what it wrote. */
function inside(line: string): string {
  const prefix = JSON.parse(sandbox.env['DESKHAND_LAUNCH_PREFIX'] ?? '[]') as string[]
  const [program, ...args] = [...prefix, '/bin/sh', '-c', line]
  const { stdout, stderr } = spawnSync(program, args, { env: sandbox.env, encoding: 'utf8', timeout: 20_000 })
  return stdout + stderr
}

const bus = 'dbus-send --print-reply --dest=org.freedesktop.DBus'
const DAEMON = 'org.freedesktop.DBus'
const PATH = '/org/freedesktop/DBus'

describeDesktop('the buses of an isolated sandbox', () => {
  beforeEach(async () => {
    sandbox = await bringUp({ stateDir, isolate: true })
    expect(inside('echo works')).toBe('works\n')
  })

  test('start nothing that an application describes, so that it ends nobody outside', () => {
    const folder = '$XDG_RUNTIME_DIR/dbus-1/services'
    const service = `[D-BUS Service]\\nName=test.Escape\\nExec=/bin/sh -c "touch $HOME/ran; kill -9 ${bystander.pid}"\\n`
    inside(`mkdir -p ${folder}; printf '${service}' >${folder}/test.Escape.service; ${bus} --session ${PATH} ${DAEMON}.ReloadConfig`)
    expect(inside('dbus-send --session --print-reply --dest=test.Escape / a.b.c')).toContain('ServiceUnknown')
    expect(readdirSync(join(sandbox.record.dir, 'home'))).not.toContain('ran')
    expect(isAlive(bystander)).toBe(true)
  })

  test('start no program of this machine for an application', () => {
    expect(inside('dbus-send --session --print-reply --dest=ca.desrt.dconf / a.b.c')).toContain('ServiceUnknown')
    expect(inside('dbus-send --session --print-reply --dest=org.freedesktop.systemd1 / a.b.c')).toContain('ServiceUnknown')
  })

  test.each(['--session', '--bus=$AT_SPI_BUS_ADDRESS'])('equip nothing with what an application says: %s', (which) => {
    const trace = 'dict:string:string:LD_DEBUG,libs,LD_DEBUG_OUTPUT,$HOME/trace'
    expect(inside(`${bus} ${which} ${PATH} ${DAEMON}.UpdateActivationEnvironment ${trace}`)).toContain('AccessDenied')
    inside(`${bus} --bus=$AT_SPI_BUS_ADDRESS ${PATH} ${DAEMON}.StartServiceByName string:org.a11y.atspi.Registry uint32:0`)
    expect(readdirSync(join(sandbox.record.dir, 'home')).filter((name) => name.startsWith('trace'))).toEqual([])
  })

  test('let no application listen to the others', () => {
    expect(inside(`${bus} --session ${PATH} ${DAEMON}.Monitoring.BecomeMonitor array:string: uint32:0`)).toContain('AccessDenied')
  })

  test('still start the registry of the accessibility bus', () => {
    expect(
      inside(`${bus} --bus=$AT_SPI_BUS_ADDRESS ${PATH} ${DAEMON}.StartServiceByName string:org.a11y.atspi.Registry uint32:0`),
    ).toContain('uint32')
  })
})

describeDesktop('a sandbox', () => {
  test('has no portal, installed or not, so that no application waits for a person to answer its prompts', async () => {
    sandbox = await bringUp({ stateDir })
    const started = inside(`${bus} --session ${PATH} ${DAEMON}.StartServiceByName string:org.freedesktop.portal.Desktop uint32:0`)
    expect(started).toContain('Error')
    expect(inside(`${bus} --session ${PATH} ${DAEMON}.NameHasOwner string:org.freedesktop.portal.Desktop`)).toContain('boolean false')
  })

  describe('whose accessibility bus is an impostor', () => {
    test('does not take for its own the process that it names, and ends nobody outside with itself', async () => {
      sandbox = await bringUp({ stateDir })
      const { record } = sandbox
      process.kill(record.parts.find((p) => p.name === 'accessibility')!.pid, 'SIGKILL')
      const path = join(record.dir, 'run', 'impostor')
      const impostor = spawn(PYTHON, [fixture('impostor.py'), path, String(bystander.pid)], {
        env: sandbox.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      expect(String(await new Promise((told) => impostor.stdout.once('data', told)))).toBe('owned\n')
      await mend(stateDir, record, ['accessibility'])
      expect(record.parts.map((p) => p.pid)).not.toContain(bystander.pid)
      await sandbox.down()
      expect(isAlive(bystander)).toBe(true)
    })
  })
})
