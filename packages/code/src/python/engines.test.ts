import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPython, createPython, systemPython, type Python, type PythonEngine, type PythonRunResult } from './index.ts'

describe.each<[string, () => PythonEngine]>([
  ['bundled', () => bundledPython()],
  ['system', () => systemPython()],
])('the %s engine', (name, open) => {
  let base: string
  let root: string
  let python: Python
  const run = async (code: string, args: string[] = []) => done(await python.run({ code, args }))

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'deskhand-engine-'))
    root = join(base, 'my project')
    await mkdir(join(root, 'scripts'), { recursive: true })
    await mkdir(join(root, '.deskhand'))
    await writeFile(join(root, '.deskhand', 'token'), 'state of Deskhand')
    await writeFile(join(root, 'data.csv'), 'name,value\nümlaut,1\nb,2\n')
    await writeFile(join(root, 'scripts', 'helper.py'), 'def twice(x): return 2 * x\n')
    await writeFile(join(root, 'scripts', 'job.py'), 'import sys, helper\nprint(sys.argv, __name__, helper.twice(21), __file__)\n')
    await writeFile(join(root, 'scripts', 'bad.py'), 'def f():\n    raise ValueError("broken here")\nf()\n')
    await writeFile(join(base, 'outside.txt'), 'outside of the project')
    await symlink(join(base, 'outside.txt'), join(root, 'leak.txt'))
    await symlink('data.csv', join(root, 'link.csv'))
    const state = join(root, '.local', 'state', 'deskhand')
    await mkdir(state, { recursive: true })
    await writeFile(join(state, 'operator.token'), 'state of Deskhand')
    await writeFile(join(state, 'planted.py'), 'print("state of Deskhand")')
    await symlink(state, join(root, 'shortcut'))
    python = createPython({ engines: [open()], projectRoot: root, hidden: [state, join(base, 'absent')], timeoutSeconds: 30 })
  })
  afterAll(async () => {
    await python.close()
    await rm(base, { recursive: true })
  })

  test('is available and says its version', async () => {
    expect(await python.engines()).toEqual([{ name, inUse: true, ok: true, version: expect.stringMatching(/CPython 3\.\d+/) }])
  })

  test('answers with output, errors, exit code and duration', async () => {
    const result = await run('import sys\nprint(2 + 2)\nprint("no", file=sys.stderr)\nsys.exit(3)')
    expect(result).toMatchObject({ stdout: '4\n', stderr: 'no\n', exitCode: 3, stdoutTruncated: false, stderrTruncated: false })
    expect(result.durationMs).toBeGreaterThan(0)
  })

  test('runs a file of the project with arguments, beside its neighbours', async () => {
    const result = done(await python.run({ file: '@project/scripts/job.py', args: ['a b', '', 'ü"\n$x', '-c'] }))
    expect(result.stderr).toBe('')
    expect(result.stdout).toBe(`['/project/scripts/job.py', 'a b', '', 'ü"\\n$x', '-c'] __main__ 42 /project/scripts/job.py\n`)
  })

  test('runs files as editors leave them', async () => {
    const kept: [string, string | Buffer, string][] = [
      ['with mark.py', '\ufeffprint("mark")', 'mark\n'],
      ['windows.py', 'if 1:\r\n    print("crlf")\r\n', 'crlf\n'],
      ['latin.py', Buffer.from('# -*- coding: latin-1 -*-\nprint("\xe9")\n', 'latin1'), 'é\n'],
      ['ünï 日本.py', 'print(__file__)', '/project/odd/ünï 日本.py\n'],
      ['-c.py', 'import sys\nprint(sys.argv[1:])', "['--', '-m']\n"],
    ]
    await mkdir(join(root, 'odd'))
    for (const [name, text, stdout] of kept) {
      await writeFile(join(root, 'odd', name), text)
      expect(done(await python.run({ file: `@project/odd/${name}`, args: ['--', '-m'] }))).toMatchObject({
        stdout,
        stderr: '',
        exitCode: 0,
      })
    }
    await writeFile(join(root, 'odd', 'not text.py'), Buffer.from([0x78, 0x3d, 0x27, 0xff, 0x27]))
    expect(done(await python.run({ file: '@project/odd/not text.py' })).stderr).toMatch(/SyntaxError: .*xff/)
  })

  test.each([
    ['import os, sys\nos.close(1); os.close(2); sys.exit(4)', 4, ''],
    ['import os\nos.closerange(0, 1000)', 0, ''],
    ['import sys, io\nsys.stdout = io.StringIO(); print("x"); sys.exit(2)', 2, ''],
    ['import os\nos.dup2(1, 2); os.write(2, b"both\\n")', 0, 'both\n'],
    ['print("\\ud800")', 0, '\\ud800\n'],
    ['import sys\nsys.stdout.buffer.write(b"\\xff\\x00ok")', 0, '\ufffd\0ok'],
  ])('a script may do to its output what it likes: %j', async (code, exitCode, stdout) => {
    expect(await run(code)).toMatchObject({ exitCode, stdout })
  })

  test.each([
    'for i in range(3): os.close(i)\nprint("x")',
    'os.close(2)\nsys.exit("why")',
    'sys.stderr.close()\n1 / 0',
    'sys.stderr = None\n1 / 0',
  ])('an error that cannot be printed is still an error: %j', async (code) => {
    const { exitCode, stdout } = await run(`import os, sys\n${code}`)
    expect([exitCode > 0, stdout]).toEqual([true, ''])
  })

  test('a traceback names the line of the script, and nothing of the machinery', async () => {
    const result = done(await python.run({ file: '@project/scripts/bad.py' }))
    expect(result.exitCode).toBe(1)
    expect(result.stderr.replace(/^ +[~^]+\n/gm, '')).toBe(
      'Traceback (most recent call last):\n  File "/project/scripts/bad.py", line 3, in <module>\n    f()\n' +
        '  File "/project/scripts/bad.py", line 2, in f\n    raise ValueError("broken here")\nValueError: broken here\n',
    )
    expect((await run('x = (1,\n')).stderr).toMatch(/File "<code>", line 1\n[\s\S]*SyntaxError/)
    expect((await run('a = 1\na.b\n')).stderr).toContain('    a.b\n')
  })

  test.each([
    ['sys.exit()', 0],
    ['sys.exit("why")', 1],
    ['sys.exit(256 + 7)', 7],
    ['sys.exit(-1)', 255],
    ['sys.exit(10 ** 30)', 255],
    ['raise KeyboardInterrupt', 1],
    ['import os; os._exit(9)', 9],
    ['exit(5)', 5],
  ])('%s ends with %i', async (code, exitCode) => {
    expect((await run(`import sys\n${code}`)).exitCode).toBe(exitCode)
  })

  test('text of every language goes in and comes out', async () => {
    const text = 'äöü € 日本語 😀 \u2028 "quotes" \\ {braces}'
    const result = await run(`import sys\nprint(${JSON.stringify(text)})\nprint(sys.argv[1])`, [text])
    expect(result.stdout).toBe(`${text}\n${text}\n`)
  })

  test('a byte order mark before the code does no harm', async () => {
    expect(await run('\ufeffprint("é")')).toMatchObject({ stdout: 'é\n', stderr: '' })
  })

  test('every run is a fresh interpreter', async () => {
    await run('import builtins, json\nbuiltins.left = 1\njson.left = 1\nopen("/tmp/left", "w").write("x")')
    const result = await run('import builtins, json, os\nprint(hasattr(builtins, "left"), hasattr(json, "left"), os.listdir("/tmp"))')
    expect(result.stdout).toBe('False False []\n')
    const randoms = await Promise.all([1, 2, 3].map(() => run('import random\nprint(random.random())')))
    expect(new Set(randoms.map((each) => each.stdout)).size).toBe(3)
  })

  test('what needs no door works: files that move, tasks that wait for each other, pairs of streams', async () => {
    const code = `import asyncio, os, tempfile
a, b = tempfile.mkdtemp(), tempfile.mkdtemp()
open(a + '/x', 'w').write('moved'); os.rename(a + '/x', b + '/y'); os.replace(b + '/y', a + '/z'); print(open(a + '/z').read())
open(os.devnull, 'w').write('x')
async def main():
    q = asyncio.Queue()
    await asyncio.gather(q.put(1), asyncio.sleep(0)); print(await q.get())
asyncio.run(main())`
    expect(await run(code)).toMatchObject({ stdout: 'moved\n1\n', stderr: '' })
  })

  test('the project can be read at the working directory', async () => {
    const code =
      'import csv, os\nprint(os.getcwd(), sorted(os.listdir(".")))\nprint(list(csv.reader(open("data.csv", encoding="utf8"))))\nprint(open("link.csv").read(4))'
    const { stdout } = await run(code)
    expect(stdout).toContain("[['name', 'value'], ['ümlaut', '1'], ['b', '2']]\nname\n")
    expect(stdout).toMatch(/^\/project \[.*'data.csv'.*'scripts'.*\]/)
  })

  test('a link out of the project and the state of Deskhand cannot be read', async () => {
    const result = await run(
      'for name in ("leak.txt", ".deskhand/token"):\n  try: print(open(name).read())\n  except OSError as e: print("refused")',
    )
    expect(result.stdout).toBe('refused\nrefused\n')
  })

  test('the project cannot be changed, and the error says where to write', async () => {
    const before = await snapshotOf(root)
    const ways = [
      'open("new.txt", "w")',
      'open("data.csv", "a").write("x")',
      'open("data.csv", "r+")',
      'os.remove("data.csv")',
      'os.rename("data.csv", "b.csv")',
      'os.rename("data.csv", "/tmp/b.csv")',
      'os.mkdir("d")',
      'os.rmdir("scripts")',
      'os.symlink("/etc", "s")',
      'os.truncate("data.csv", 0)',
      'os.chmod("data.csv", 0)',
      'os.utime("data.csv", (1, 1))',
    ]
    const code = `import os\nfor way in ${JSON.stringify(ways)}:\n  try: eval(way); print(way)\n  except OSError: pass`
    expect(await run(code)).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    expect((await run('open("new.txt", "w")')).stderr).toContain('Write to /tmp')
    expect(await snapshotOf(root)).toEqual(before)
  })

  test('the scratch folder can be written and is what tempfile uses', async () => {
    const result = await run(
      'import tempfile\nwith tempfile.NamedTemporaryFile("w+") as f:\n  f.write("hi"); f.flush(); f.seek(0); print(f.read(), tempfile.gettempdir())',
    )
    expect(result.stdout).toBe('hi /tmp\n')
  })

  test('a missing package is told apart from a mistake', async () => {
    expect((await run('import pandas')).stderr).toMatch(/No module named 'pandas'\n.*tell the user/)
  })

  test('reading from the keyboard meets the end of input', async () => {
    expect((await run('input()')).stderr).toContain('EOFError')
  })

  test('code that writes after its end is heard: atexit, unflushed output', async () => {
    expect((await run('import atexit, sys\natexit.register(lambda: print("bye"))\nsys.stdout.write("no newline ")')).stdout).toBe(
      'no newline bye\n',
    )
  })

  test('long output is cut and flagged', async () => {
    const result = await run('import sys\nprint("x" * 60000)\nprint("é" * 20000, file=sys.stderr)')
    expect(result).toMatchObject({ stdout: 'x'.repeat(50_000), stderr: 'é'.repeat(10_000), stdoutTruncated: true, stderrTruncated: true })
    const exact = await run('import sys\nsys.stdout.write("y" * 50000)')
    expect(exact).toMatchObject({ stdout: 'y'.repeat(50_000), stdoutTruncated: false })
  })

  test('calls at the same time do not mix', async () => {
    const results = await Promise.all(['one', 'two', 'three'].map((word) => run(`print(${JSON.stringify(word)} * 3)`)))
    expect(results.map((each) => each.stdout)).toEqual(['oneoneone\n', 'twotwotwo\n', 'threethreethree\n'])
  })

  test("Deskhand's own state is not lent, wherever in the project it lies", async () => {
    const { stdout } = await run(`
import glob, os
for path in ['.local/state/deskhand/operator.token', 'shortcut/operator.token', '.local/state/../state/deskhand/operator.token']:
    try:
        print(open(path).read())
    except OSError as error:
        print(type(error).__name__)
print([p for p in glob.glob('**/*', recursive=True, include_hidden=True) if 'token' in p], os.path.exists('.local/state'))
`)
    expect(stdout).not.toContain('state of Deskhand')
    expect(stdout.trim().split('\n').at(-1)).toBe('[] False')
    const planted = await python.run({ file: '@project/.local/state/deskhand/planted.py' })
    expect(planted).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
    expect(await python.run({ file: '@project/shortcut/planted.py' })).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
  })

  test('wrong calls are coded, not thrown', async () => {
    expect(await python.run({})).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
    expect(await python.run({ code: '1', shell: true })).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
    expect(await python.run({ file: '@project/leak.py' })).toMatchObject({ ok: false, error: { code: 'BAD_ARGS' } })
  })

  test('an aborted call ends at once and says so', async () => {
    const stop = new AbortController()
    const running = python.run({ code: 'print("started", flush=True)\nwhile True: pass' }, { signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    expect(await running).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await python.run({ code: '1' }, { signal: AbortSignal.abort() })).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
  })
})

test('an engine that cannot run is PYTHON_NOT_FOUND, and no other one steps in', async () => {
  const missing = systemPython({ python: '/nowhere/python3' })
  const python = createPython({ engines: [bundledPython(), missing], use: 'system', projectRoot: tmpdir() })
  expect(await python.run({ code: '1' })).toMatchObject({
    ok: false,
    error: { code: 'PYTHON_NOT_FOUND', next: expect.stringContaining('python3') },
  })
  expect(() => createPython({ engines: [missing], use: 'other', projectRoot: tmpdir() })).toThrow('no Python engine called other')
  await python.close()
})

function done(result: PythonRunResult) {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result
}

async function snapshotOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries.map(
      async (each) => `${each.parentPath}/${each.name}: ${each.isFile() ? await readFile(join(each.parentPath, each.name), 'utf8') : ''}`,
    ),
  )
}
