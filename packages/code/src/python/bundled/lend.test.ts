import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPython, type Python } from '../run.ts'
import { bundledPython } from './engine.ts'

let base: string
let python: Python

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'deskhand-lend-'))
  const root = join(base, 'root')
  await mkdir(join(root, 'sub', 'deep'), { recursive: true })
  await writeFile(join(root, 'big.bin'), Buffer.alloc(5_000_000, 'abcdefghij'))
  await writeFile(join(root, 'sub', 'ünï cödé.txt'), 'names too')
  await writeFile(join(root, 'sub', 'deep', 'package.py'), 'VALUE = "imported"\n')
  await writeFile(join(root, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 })
  await symlink('sub', join(root, 'inside'))
  await symlink(join(base, 'nothing'), join(root, 'dangling'))
  await symlink('/etc', join(root, 'etc'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  python = createPython({ engines: [bundledPython()], projectRoot: root })
})
afterAll(async () => {
  await python.close()
  await rm(base, { recursive: true })
})

const run = async (code: string) => {
  const result = await python.run({ code })
  return result.ok ? result.stdout + result.stderr : result.error.message
}

test('files are read lazily, at any place', async () => {
  const code = `
f = open('big.bin', 'rb')
f.seek(4_999_995); print(f.read()); f.seek(-3, 2); print(f.tell(), f.read(1)); f.seek(0); print(len(f.read()))
import os
fd = os.open('big.bin', os.O_RDONLY); print(os.pread(fd, 3, 10), os.fstat(fd).st_size)
other = os.dup(fd); os.close(fd); print(os.read(other, 2)); os.close(other)
`
  expect(await run(code)).toBe("b'fghij'\n4999997 b'h'\n5000000\nb'abc' 5000000\nb'ab'\n")
})

test('a listing shows files, folders and what links lead to inside; not pipes and not what leads out', async () => {
  const code = `
import os
print(sorted(os.listdir('.')), sorted(os.listdir('inside')), open('sub/ünï cödé.txt').read(), open('inside/ünï cödé.txt').read())
print([os.path.exists(name) for name in ('pipe', 'dangling', 'etc', 'etc/passwd')])
print(oct(os.stat('tool.sh').st_mode), oct(os.stat('sub').st_mode), os.stat('big.bin').st_mtime > 1e9)
`
  expect(await run(code)).toBe(
    "['big.bin', 'inside', 'sub', 'tool.sh'] ['deep', 'ünï cödé.txt'] names too names too\n[False, False, False, False]\n0o100755 0o40755 True\n",
  )
})

test('modules of the project can be imported', async () => {
  expect(await run('import sub.deep.package as p\nprint(p.VALUE, p.__file__)')).toBe('imported /project/sub/deep/package.py\n')
})

test('refused openings do not use up descriptors', async () => {
  const code = `
for i in range(5000):
    try: open('big.bin', 'r+b')
    except OSError as error: last = error
    try: open('new', 'wb')
    except OSError as error: last = error
print(last.strerror, open('big.bin').read(3))
`
  expect(await run(code)).toBe('Read-only file system abc\n')
})

test('many files can be open at once and are closed again', async () => {
  expect(await run('for _ in range(20):\n  files = [open("big.bin", "rb") for _ in range(100)]\nprint(files[-1].read(2))')).toBe("b'ab'\n")
})
