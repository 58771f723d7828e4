import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DeskhandError } from '@deskhand/core/errors'
import { parseSandboxFile, readSandboxFile } from './file.ts'
import { commandsOf, programsOf } from './shell.ts'
import { sortStartup } from './startup.ts'

/** The file of the specification, to the letter. */
const SPECIFIED = readFileSync(new URL('../../../../examples/gui-enabled.yaml', import.meta.url), 'utf8')

function problem(text: string): string {
  try {
    parseSandboxFile(text, 'desk.yaml')
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'BAD_CONFIG' })
    return (thrown as DeskhandError).message
  }
  return 'nothing'
}

describe('the file of the specification', () => {
  const read = parseSandboxFile(SPECIFIED, 'gui-enabled.yaml')

  test('is understood: its name, its screen, its packages, its wish to be seen', () => {
    expect(read).toMatchObject({ name: 'gui-sandbox', size: { width: 1920, height: 1080 }, vnc: true })
    expect(read.apt).toContain('libgtk-3-0')
  })

  test('runs none of its lines literally and hands out none of its addresses', () => {
    expect(read.startup).toEqual([])
    expect(read.environment).toEqual({})
  })

  test('gets a word on everything that is done otherwise', () => {
    const said = read.warnings.join('\n')
    for (const part of [
      'base_image',
      'packages.pip',
      'environment.DISPLAY',
      'startup[0]: Xvfb',
      'startup[1]: dbus-daemon',
      'startup[2]: at-spi-bus-launcher',
      'startup[3]: x11vnc',
    ])
      expect(said).toContain(part)
    expect(said).toContain("the system's bus is never lent")
  })
})

test('the file that the documentation shows is one, and nothing in it is done otherwise', () => {
  const page = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8')
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  expect(parseSandboxFile(example, 'docs/sandbox.md')).toMatchObject({
    size: { width: 1920, height: 1080 },
    startup: [{ stays: false }, { stays: true }],
    warnings: [],
  })
})

describe('a sandbox file', () => {
  test('may say nothing at all', () => {
    expect(parseSandboxFile('', 'desk.yaml')).toEqual({
      name: undefined,
      size: undefined,
      environment: {},
      startup: [],
      vnc: false,
      apt: [],
      warnings: [],
    })
  })

  test('keeps variables that are its own, numbers and truths as text', () => {
    const { environment } = parseSandboxFile('environment:\n  MODE: kiosk\n  LEVEL: 3\n  LOUD: true\n', 'desk.yaml')
    expect(environment).toEqual({ MODE: 'kiosk', LEVEL: '3', LOUD: 'true' })
  })

  test('means what is written: numbers stay as they stand there', () => {
    const { environment, name } = parseSandboxFile(
      'name: 0042\nenvironment:\n  V: 1.10\n  M: 0755\n  N: 12345678901234567890\n  B: True\n',
      'x',
    )
    expect(environment).toEqual({ V: '1.10', M: '0755', N: '12345678901234567890', B: 'True' })
    expect(name).toBe('0042')
  })

  test.each([
    '\uFEFFname: a\n',
    'name: a\r\nstartup:\r\n  - xterm &\r\n',
    '# nothing else\nname: a',
    '%YAML 1.1\n---\nname: a',
    'name: &n a\nbase_image: *n',
  ])('may come from any editor: %j', (text) => expect(parseSandboxFile(text, 'x').name).toBe('a'))

  test('may write its resolution with a large X', () => {
    expect(parseSandboxFile('resolution: 1920X1080x24', 'x').size).toEqual({ width: 1920, height: 1080 })
  })

  test('that is none, or never ends, is refused', () => {
    for (const path of ['/dev/zero', '/', '/nowhere/desk.yaml'])
      expect(() => readSandboxFile(path)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }))
  })

  test('has no powers over what everything inherits', () => {
    problem('environment:\n  __proto__: x\n__proto__: {a: b}')
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('says its resolution itself, which goes before that of an Xvfb line', () => {
    expect(parseSandboxFile('resolution: 800x600\nstartup: ["Xvfb :1 -screen 0 1024x768x16"]', 'desk.yaml').size).toEqual({
      width: 800,
      height: 600,
    })
  })

  test.each([
    ['nmae: x', 'desk.yaml:1: nmae: is no field of a sandbox file; did you mean name?'],
    ['xyz: x', 'desk.yaml:1: xyz: is no field of a sandbox file; there are name, base_image'],
    ['packages:\n  atp: [a]', 'desk.yaml:2: packages.atp: is no field of a sandbox file; did you mean apt?'],
    ['packages: [xvfb]', 'desk.yaml:1: packages: must be a table'],
    ['environment: [A=1]', 'desk.yaml:1: environment: must be a table'],
    ['environment: A=1', 'desk.yaml:1: environment: must be a table'],
    ['environment:\n  A:', 'desk.yaml:2: environment.A: must be a text'],
    ['environment:\n  A: {B: c}', 'desk.yaml:2: environment.A: must be a text'],
    ['startup:\n  - run: xterm', 'desk.yaml:2: startup[0]: must be a text'],
    ['name: -x', 'desk.yaml:1: name: must be'],
    ['name: a/b', 'desk.yaml:1: name: must be'],
    ['name: Büro', 'desk.yaml:1: name: must be'],
    ['name: []', 'desk.yaml:1: name: must be a text'],
    ['resolution: 0x0', 'desk.yaml:1: resolution: must be between'],
    ['resolution: 100000x100000', 'desk.yaml:1: resolution: must be between'],
    ['resolution: 1920', 'desk.yaml:1: resolution: must be as 1920x1080'],
    ['resolution: {width: 1}', 'desk.yaml:1: resolution: must be a text'],
    ['startup: ["Xvfb :9 -screen 0 100000x100000x24"]', 'desk.yaml:1: startup[0]: the screen must be between'],
    ['startup: ["Xvfb :9 -screen 0 0x0x24"]', 'desk.yaml:1: startup[0]: the screen must be between'],
    ['name: a\n---\nname: b', 'desk.yaml:2: holds more than one document'],
    ['startup:\n\t- xterm', 'desk.yaml:2:'],
    ['startup: ["DISPLAY=:0 xterm &"]', 'desk.yaml:1: startup[0]: DISPLAY is what makes it this desktop'],
    ['startup: ["export DISPLAY=:0; xterm &"]', 'desk.yaml:1: startup[0]: DISPLAY is what makes it this desktop'],
    ['startup: ["env XAUTHORITY=/root/.Xauthority xterm &"]', 'desk.yaml:1: startup[0]: XAUTHORITY is what makes it this desktop'],
    ['name: x\npackages:\n  npm: [a]', 'desk.yaml:3: packages.npm: is no field'],
    ['packages:\n  apt:\n    - xvfb\n    - "-o=APT::Foo"', 'desk.yaml:4: packages.apt[1]: is no name of a Debian package'],
    ['environment:\n  "A B": x', 'desk.yaml:2: environment.A B: is no name of a variable'],
    ['environment:\n  A: [1]', 'desk.yaml:2: environment.A: must be a text'],
    ['startup: xterm', 'desk.yaml:1: startup: must be a list'],
    ['\nresolution: 1920x1080x16', 'desk.yaml:2: resolution: must be as 1920x1080'],
    ['resolution: 99999x100', 'desk.yaml:1: resolution: must be between'],
    ['name: "../x"', 'desk.yaml:1: name: must be'],
    ['- a', 'desk.yaml:1: the file: must be a table'],
    ['name: [', 'desk.yaml:1:'],
    ['name: a\nname: b', 'desk.yaml:2: Map keys must be unique'],
    ['startup:\n  - xterm &\n  - Xvfb :9 & sleep 1; xterm', 'desk.yaml:3: startup[1]: Xvfb is started by Deskhand itself'],
    ['startup: ["xvfb-run mousepad"]', 'desk.yaml:1: startup[0]: xvfb-run brings a desktop of its own'],
  ])('with a fault is refused by file, line and field: %j', (text, message) => {
    expect(problem(text)).toContain(message)
  })

  test('that would grow without end is refused', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((c, i) => `${c}: &${c} [${Array(10).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
    ].join('\n')
    expect(problem(bomb)).toContain('alias')
    expect(problem(`name: ${'x'.repeat(200_000)}`)).toContain('larger')
  })

  test('of any kind is read or refused, and never breaks anything', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        problem(text)
      }),
    )
  })
})

describe('startup lines', () => {
  test('of the own kind run; those that end in & stay', () => {
    expect(sortStartup(['xsetroot -solid grey', 'mousepad notes.txt &', 'a && b', ' # nothing'])).toMatchObject({
      startup: [
        { line: 'xsetroot -solid grey', stays: false },
        { line: 'mousepad notes.txt', stays: true },
        { line: 'a && b', stays: false },
      ],
      warnings: [],
    })
  })

  test.each([
    'Xvfb :1',
    '/usr/bin/Xvfb :1 &',
    'exec Xvfb :1',
    'DISPLAY=:1 nohup Xvfb',
    'sudo Xvfb :1',
    "bash -c 'Xvfb :1'",
    '"Xvfb" :1',
    'X\\vfb',
    'x11vnc -nopw',
    'sh -c "sh -c x11vnc"',
    'dbus-daemon --system',
    'openbox &',
    'Xvnc :1 -SecurityTypes None',
    '  Xvfb   :99    -screen 0 1920x1080x24   &  ',
    'Xvfb :99 >/dev/null 2>&1 &',
    '(Xvfb :99 &)',
    'nice -n 5 Xvfb :99',
    'sudo -u nobody -- Xvfb :99',
    'timeout -k 5 10 x11vnc -nopw',
    'stdbuf -o L x11vnc -listen 0.0.0.0 -nopw',
    'bash -lc "x11vnc -nopw"',
    'su nobody -c "x11vnc -nopw"',
    'while true; do x11vnc -nopw; done',
    'x11vnc -listen 0.0.0.0 -display :99 -nopw -forever & sleep 1',
    'Xvfb :99 & export DISPLAY=:99',
    'eval $(dbus-launch --sh-syntax)',
    'eval "$(dbus-launch --sh-syntax)"',
    'export $(dbus-launch)',
    'eval `dbus-launch --sh-syntax`',
    'dbus-daemon --system --fork',
    '/etc/init.d/dbus start',
    'service dbus start',
    'systemctl start dbus.service',
    'export DISPLAY=:99',
    'export  DISPLAY=":99"  XAUTHORITY=/x',
    'unset DISPLAY',
    'export GREETING=hello',
    'websockify 6080 localhost:5900 &',
    'rm -f /tmp/.X99-lock',
    'rm -rf /tmp/.X11-unix/X99 /tmp/.X99-lock',
  ])('that are parts of a desktop are not run: %s', (line) => {
    const { startup, warnings } = sortStartup([line])
    expect(startup).toEqual([])
    expect(warnings).toHaveLength(1)
  })

  test('that only speak of such a part run', () => {
    expect(
      sortStartup([
        'echo Xvfb',
        'xterm -T x11vnc',
        'nice -n 5 xterm -T Xvfb',
        'A=1 xterm',
        'rm -f $HOME/x',
        'until xdpyinfo; do sleep 1; done',
      ]).startup,
    ).toHaveLength(6)
  })
})

describe('the commands of a shell line', () => {
  test('are found through quotes, escapes and separators', () => {
    expect(commandsOf(`a "b c" 'd;e' f\\ g; h|i && j 2>&1 & # k`)).toEqual([['a', 'b c', 'd;e', 'f g'], ['h'], ['i'], ['j', '2>&1']])
    expect(programsOf('A=1 env B=2 /usr/bin/thing -x')).toEqual([{ program: 'thing', args: ['-x'], sets: ['A', 'B'] }])
  })

  test('are found in any text', () => {
    fc.assert(fc.property(fc.string(), (line) => void programsOf(line)))
  })
})
