import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { BIN } from '../support/cli.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, inside, NODE, onZ, openWine, type Wine } from '../support/wine.ts'

const seen = new Seen('broker')
const COMMAND_MS = 60_000
/** Each start of a program takes a busy machine ten seconds and more. */
const LONG = { timeout: 600_000 }
const fixture = (name: string): string => onZ(fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url)))
const ADMX = fileURLToPath(new URL('../../docs/windows-enterprise/deskhand.admx', import.meta.url))

const SETTINGS = `
[desktop]
kind = "host"
[policy]
mode = "allow_actual_input_full"
`

describeWine('the broker and the command line on Windows itself, on Wine', () => {
  let wine: Wine
  let ended: Promise<unknown>
  let ready: { name: string; url: string; socket: string; journal: string }
  let count = 0

  const start = (words: string[]): { log: string; exit: Promise<unknown[]> } => {
    const log = join(wine.folder, `command-${++count}.out`)
    const env = { DESKHAND_STATE: 'C:\\deskhand', DESKHAND_CONFIG: onZ(join(wine.folder, 'deskhand.toml')) }
    return { log, exit: once(wine.run(words, { log, env }), 'exit') }
  }
  /** Runs `deskhand` there to its end, which must be a good one. */
  const deskhand = async (...args: string[]): Promise<string> => {
    const { log, exit } = start([NODE, onZ(BIN), ...args])
    const over = await Promise.race([exit, sleep(COMMAND_MS)])
    const said = readFileSync(log, 'utf8')
    expect(over?.[0], `deskhand ${args.join(' ')}: ${said}`).toBe(0)
    return said
  }

  beforeAll(async () => {
    wine = await openWine()
    writeFileSync(join(wine.folder, 'deskhand.toml'), SETTINGS)
    // As the group policy editor writes what an administrator enters in its form.
    const [key, value] = ['key', 'valueName'].map((name) => new RegExp(`${name}="([^"]+)"`).exec(readFileSync(ADMX, 'utf8'))?.[1] ?? '')
    const lines = ['[[rule]]', 'name = "kein Python 漢字"', 'toolName = "python.run"', 'decision = "deny"', 'priority = 900'].join('\\0')
    await once(wine.run(['reg', 'add', `HKLM\\${key}`, '/v', value ?? '', '/t', 'REG_MULTI_SZ', '/d', lines, '/f']), 'exit')
    const up = start([NODE, onZ(BIN), 'up', '--port', '0', '--json'])
    ended = up.exit
    await vi.waitFor(() => expect(readFileSync(up.log, 'utf8')).toMatch(/^\{.*\}/m), { timeout: 90_000 })
    ready = JSON.parse(/^\{.*\}/m.exec(readFileSync(up.log, 'utf8'))?.[0] ?? '{}') as typeof ready
  })
  afterAll(() => wine.down())

  test('deskhand up serves the desktop there by a named pipe and over HTTP', async () => {
    expect(ready).toMatchObject({ name: 'host', driver: 'windows', socket: expect.stringMatching(/^\\\\\.\\pipe\\/) as string })
    expect(await deskhand('status')).toContain('running')
    expect((await fetch(`${ready.url}/api/v1/desktops`)).status).toBe(401)
    expect(await deskhand('doctor')).toMatch(/ok +host desktop +the desktop of this Windows session/)
    seen.on('Wine', '`deskhand up --desktop host`: named pipes, the HTTP server, `status`, `doctor`')
  })

  test('a command there looks at the desktop, a program that is not listed is refused, and the record of both holds', async () => {
    expect(await deskhand('call', 'ui.snapshot')).toContain('"kind":"windows"')
    const { log, exit } = start([NODE, onZ(BIN), 'call', 'desktop.launch', '{"app":"notepad"}'])
    await exit
    expect(readFileSync(log, 'utf8')).toContain('"verdict":"deny"')
    expect(await deskhand('journal', 'verify')).toMatch(/^\d+ entries, intact/)
    seen.on('Wine', 'a look at the desktop by command, a refused one, and the journal of both verified')
  })

  test('rules of the group policy stand above those of the user', async () => {
    const { log, exit } = start([NODE, onZ(BIN), 'policy', 'explain', 'python.run', '{"code":"1"}'])
    await exit
    const said = readFileSync(log, 'utf8')
    expect(said).toMatch(/^python.run: deny/)
    expect(said).toContain('kein Python 漢字')
    expect(said).toContain('HKLM\\SOFTWARE\\Policies\\Deskhand')
    seen.on('Wine', 'rules of the machine by group policy, as deskhand.admx writes them')
  })

  test('deskhand down ends the broker and the server', async () => {
    expect(await deskhand('down')).toContain('down')
    expect(await Promise.race([ended, sleep(30_000)])).toEqual([0, null])
    seen.on('Wine', '`deskhand down`')
  })

  test('a driver that is killed while it holds a key lets go of it', async () => {
    const { log, exit } = start([NODE, fixture('killed-host.mjs')])
    await Promise.race([exit, sleep(COMMAND_MS)])
    expect(readFileSync(log, 'utf8')).toContain('{"before":true,"after":false}')
    seen.on('Wine', 'keys are released when the process of the driver is killed')
  })

  test('the story of an invoice is played on the simulated desktop there, and its journal outlives a kill', LONG, async () => {
    const env = { DESKHAND_STATE: 'C:\\Ordner mit Grüßen 漢字\\desk hand' }
    const play = async (): Promise<{ done: number }> => {
      const log = join(wine.folder, `simulated-${++count}.out`)
      await once(wine.run([NODE, fixture('simulated.mjs'), 'story'], { log, env }), 'exit')
      const said = readFileSync(log, 'utf8')
      expect(said).toMatch(/^\{.*\}/)
      const told = JSON.parse(said) as { done: number }
      expect(told).toMatchObject({
        story: { typed: 'confirmed', saved: true, value: 'Jürgen 漢字 😀', refused: 'NOT_FOUND' },
        journal: { ok: true, problems: [] },
      })
      return told
    }
    const before = await play()
    const log = join(wine.folder, 'forever.out')
    const ended = once(wine.run([NODE, fixture('simulated.mjs'), 'forever'], { log, env }), 'exit')
    const answered = (): number => readFileSync(log, 'utf8').match(/answered/g)?.length ?? 0
    await expect.poll(answered, { timeout: 240_000 }).toBeGreaterThan(20)
    for (const pid of inside(wine, 'simulated.mjs')) process.kill(pid, 'SIGKILL')
    await ended
    const after = await play()
    expect(after.done - before.done).toBeGreaterThan(answered())
    seen.on(
      'Wine',
      'a story on the simulated desktop, below a folder with spaces and Unicode',
      'nothing that was answered is lost from the journal when its process is killed',
    )
  })

  test('Wine takes the access rights of folders without setting them', async () => {
    const { log, exit } = start(['icacls.exe', 'C:\\deskhand'])
    await exit
    const said = readFileSync(log, 'utf8').trim()
    expect(said).toBe('')
    seen.gap('state folders that only their user may enter (`icacls`)', 'nowhere', 'icacls ends with 0 and does nothing')
  })

  test('Wine has none of the interfaces of newer Windows for pictures and texts in them', async () => {
    const file = join(wine.folder, 'absent.txt')
    await start([NODE, fixture('absent.mjs'), onZ(file)]).exit
    const answers = readFileSync(file, 'utf8').split('\n')
    expect(answers).toHaveLength(3)
    for (const line of answers) {
      const [name = '', answer = ''] = line.split(' answered ')
      expect(answer).toMatch(/^0x8/)
      seen.gap(`\`${name}\` (no code uses it)`, 'nowhere', `RoGetActivationFactory: ${answer}`)
    }
  })

  test('docs/windows.md says of the broker what was seen here', () => {
    seen.mustBeTold()
  })
})
