import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPython } from '../run.ts'
import { bundledPython, findPyodide } from './engine.ts'
import { findOrMakeSnapshot } from './snapshot.ts'

const SLOW = { timeout: 120_000 }
let base: string
let path: string
const told: string[] = []

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'deskhand-snapshot-'))
  await writeFile(join(base, 'file'), '')
  const folders = [join(base, 'file', 'below'), join(base, 'cache')]
  path = await findOrMakeSnapshot({ pyodide: findPyodide(), folders, onProgress: (message) => told.push(message) })
}, 120_000)
afterAll(() => rm(base, { recursive: true }))

test('a folder that cannot be written is passed over, and the wait is announced', async () => {
  expect(path).toMatch(/cache\/cpython-314\.0\.7-[0-9a-f]{12}\.snapshot$/)
  expect(told).toEqual([expect.stringContaining('first use')])
  expect(await readdir(join(base, 'cache'))).toHaveLength(1)
  expect((await stat(join(base, 'cache'))).mode & 0o777).toBe(0o755)
})

test('it is made once', async () => {
  const before = await stat(path)
  expect(
    await findOrMakeSnapshot({ pyodide: findPyodide(), folders: [join(base, 'cache')], onProgress: (message) => told.push(message) }),
  ).toBe(path)
  expect((await stat(path)).ino).toBe(before.ino)
  expect(told).toHaveLength(1)
})

test('one that others can write to is not used; the new one is the same, byte for byte', SLOW, async () => {
  const first = await readFile(path)
  await chmod(path, 0o666)
  const before = await stat(path)
  expect(await findOrMakeSnapshot({ pyodide: findPyodide(), folders: [join(base, 'cache')] })).toBe(path)
  const after = await stat(path)
  expect(after.ino).not.toBe(before.ino)
  expect(after.mode & 0o777).toBe(0o644)
  expect((await readFile(path)).equals(first)).toBe(true)
})

test('a broken one is made again, and the script runs', SLOW, async () => {
  const whole = await readFile(path)
  await writeFile(path, whole.subarray(0, whole.length / 2))
  const python = createPython({ engines: [bundledPython({ snapshotFolders: [join(base, 'cache')], prewarm: false })], projectRoot: base })
  expect(await python.run({ code: 'print("mended")' })).toEqual(expect.objectContaining({ ok: true, stdout: 'mended\n' }))
  expect((await stat(path)).size).toBe(whole.length)
  await python.close()
})

test('no place to keep it is a coded error that names the places', async () => {
  const making = findOrMakeSnapshot({ pyodide: findPyodide(), folders: [join(base, 'file', 'below')] })
  await expect(making).rejects.toMatchObject({ code: 'PYTHON_EXEC_FAILED', message: expect.stringContaining('file/below') })
})
