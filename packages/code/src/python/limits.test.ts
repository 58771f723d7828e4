import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledPython, createPython, systemPython, type Python, type PythonEngine } from './index.ts'

describe.each<[string, () => PythonEngine]>([
  ['bundled', () => bundledPython()],
  ['system', () => systemPython()],
])('the limits of the %s engine', (name, open) => {
  let root: string
  let python: Python
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'deskhand-limits-'))
    python = createPython({ engines: [open()], projectRoot: root, limits: { memoryMb: 200, fileMb: 8, floodMb: 8 } })
  })
  afterAll(async () => {
    await python.close()
    await rm(root, { recursive: true })
  })

  test('memory: asking for too much is a MemoryError that the script can handle', async () => {
    const code = 'try: bytearray(300 * 2**20)\nexcept MemoryError: print("too much")\nprint(len(bytearray(50 * 2**20)))'
    expect(await python.run({ code })).toMatchObject({ ok: true, stdout: 'too much\n52428800\n', exitCode: 0 })
  })

  test('files: one may not grow beyond the limit, nor all of them fill the memory', async () => {
    const code = `
try:
    with open('/tmp/big', 'wb') as f:
        for _ in range(9): f.write(bytes(2**20)); f.flush()
except OSError as error: print(error.strerror)
import os
os.remove('/tmp/big')
open('/tmp/small', 'wb').write(bytes(7 * 2**20)); print(os.path.getsize('/tmp/small'))
for i in range(1000): open(f'/tmp/{i}', 'wb').write(bytes(2**20))
print('all of them')
`
    const result = await python.run({ code })
    if (name === 'bundled') {
      expect(result).toMatchObject({ ok: false, error: { code: 'PYTHON_EXEC_FAILED', message: expect.stringContaining('grew beyond') } })
      expect(result.ok ? '' : result.error.details).toMatchObject({ stdout: 'File too large\n7340032\n' })
    } else
      expect(result).toMatchObject({
        ok: true,
        stdout: 'File too large\n7340032\n',
        stderr: expect.stringContaining('No space left'),
        exitCode: 1,
      })
  })

  test('output: a flood ends the script, and its beginning is told', async () => {
    const result = await python.run({ code: 'while True: print("flood" * 1000)' })
    expect(result).toMatchObject({ ok: false, error: { code: 'PYTHON_EXEC_FAILED', message: expect.stringContaining('output') } })
    expect(result.ok ? '' : result.error.details).toMatchObject({ stdout: expect.stringMatching(/^flood/) })
  })

  test('recursion: Python stops it, through its own calls and through C', async () => {
    const code = `
class A:
    def __getattr__(self, name): return getattr(self, name + 'x')
    def __call__(self): return self()
def f(): f()
def k(x): return sorted([1], key=k)
for each in (lambda: A().y, A(), f, lambda: k(1)):
    try: each()
    except RecursionError: print('stopped')
`
    const ran = await python.run({ code })
    expect(ran, JSON.stringify(ran)).toMatchObject({ ok: true, stdout: 'stopped\n'.repeat(4) })
  })
})
