import { chmod, link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPython, createPython, systemPython, type Python, type PythonEngine } from '@deskhand/code/python'

/** A home as people have one: the project in it, with private files beside it and inside it. */
const SECRET = 'THE-SECRET'
let home: string

beforeAll(async () => {
  home = await realpath(await mkdtemp('/var/tmp/deskhand-home-'))
  await mkdir(join(home, '.ssh'), { mode: 0o700 })
  await mkdir(join(home, 'work', 'src', '.config'), { recursive: true })
  await mkdir(join(home, 'work', 'closed'))
  await mkdir(join(home, 'work', 'plain', 'deep'), { recursive: true })
  const files: [string, number?][] = [
    ['.ssh/id_ed25519', 0o600],
    ['.ssh/config'],
    ['elsewhere.txt'],
    ['work/.env'],
    ['work/src/.config/token'],
    ['work/owner-only.txt', 0o600],
    ['work/src/key.pem', 0o600],
    ['work/closed/inside.txt'],
  ]
  for (const [name, mode = 0o644] of files) {
    await writeFile(join(home, name), SECRET)
    await chmod(join(home, name), mode)
  }
  await chmod(join(home, 'work', 'closed'), 0o700)
  await writeFile(join(home, 'work', 'open.txt'), 'hello')
  await writeFile(join(home, 'work', 'src', 'tool.py'), 'VALUE = "imported"\n')
  await writeFile(join(home, 'work', 'plain', 'deep', 'data.csv'), 'a,b\n')
  await link(join(home, '.ssh', 'config'), join(home, 'work', 'hard.txt'))
  for (const [to, at] of [
    ['../.ssh/config', 'soft.txt'],
    ['.env', 'inner.txt'],
    ['closed', 'way'],
    ['..', 'up'],
    ['/proc/self/root', 'rooted'],
    ['src/key.pem', 'plain/deep/key.pem'],
  ])
    await symlink(to!, join(home, 'work', at!))
})
afterAll(() => rm(home, { recursive: true }))

const WAYS = [
  '.env',
  '/project/.env',
  'owner-only.txt',
  'src/key.pem',
  'src/.config/token',
  'closed/inside.txt',
  'hard.txt',
  'soft.txt',
  'inner.txt',
  'way/inside.txt',
  'up/.ssh/config',
  'up/elsewhere.txt',
  'plain/deep/key.pem',
  '../.ssh/id_ed25519',
  '../elsewhere.txt',
  'src/../.env',
  'src/../../elsewhere.txt',
  '/proc/self/cwd/.env',
  '/proc/self/root/project/.env',
]

const engines: [string, () => PythonEngine][] = [
  ['bundled', () => bundledPython()],
  ['system', () => systemPython()],
]

describe.each(engines)('the %s Python', (_, open) => {
  const running: Python[] = []
  const python = (projectRoot?: string): Python => {
    const made = createPython({ engines: [open()], projectRoot, timeoutSeconds: 60 })
    running.push(made)
    return made
  }
  afterAll(() => Promise.all(running.map((each) => each.close())))
  const run = async (on: Python, code: string): Promise<string> => {
    const result = await on.run({ code })
    return result.ok ? result.stdout + result.stderr : result.error.message
  }

  test('reads what is open in the project, and imports from it', async () => {
    const on = python(join(home, 'work'))
    expect(
      await run(on, 'import src.tool\nprint(open("open.txt").read(), src.tool.VALUE, open("plain/deep/data.csv").read().strip())'),
    ).toBe('hello imported a,b\n')
  })

  test('reads nothing private by any way, and does not list it', async () => {
    const on = python(join(home, 'work'))
    const ways = [
      ...WAYS,
      ...WAYS.slice(0, 4).map((w) => `/proc/1/root${home}/work/${w}`),
      join(home, '.ssh/config'),
      join(home, 'work/.env'),
    ]
    const code = `
import os
for way in ${JSON.stringify(ways)}:
    try: print('READ', way, open(way).read())
    except OSError as error: pass
for folder, folders, files in os.walk('/project', followlinks=True):
    for name in folders + files:
        try: print('READ', folder, name, open(os.path.join(folder, name)).read().replace('hello', '').replace('VALUE = "imported"\\n', '').replace('a,b\\n', '') or '-')
        except OSError as error: pass
print(sorted(os.listdir('.')), sorted(os.listdir('src')))
`
    const told = await run(on, code)
    expect(told).not.toContain(SECRET)
    for (const name of ['.env', '.config', 'owner-only', 'key.pem', 'hard.txt', 'closed'])
      expect(told.split('\n').at(-2)).not.toContain(name)
    expect(told).toContain('open.txt')
  })

  test('runs no private file', async () => {
    const on = python(join(home, 'work'))
    await writeFile(join(home, 'work', 'mine.py'), 'print(1)', { mode: 0o600 })
    expect(await on.run({ file: '@project/mine.py' })).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
  })

  test('is lent nothing where no project was named', async () => {
    const on = python()
    expect(await run(on, 'import os\nprint(os.getcwd(), os.listdir("."), 2 + 2)')).toBe('/project [] 4\n')
    expect(await on.run({ file: '@project/src/tool.py' })).toMatchObject({
      ok: false,
      error: { code: 'BAD_ARGS', next: expect.stringContaining('[python]') },
    })
  })

  test.each(['/', '/proc', '/proc/self', '/sys', '/dev'])('is not lent %s', async (root) => {
    expect(await python(root).run({ code: 'print(1)' })).toMatchObject({ ok: false, error: { code: 'BAD_CONFIG' } })
  })
})
