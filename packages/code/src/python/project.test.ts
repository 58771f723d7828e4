import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import fc from 'fast-check'
import { findScript, realRoot } from './project.ts'

let base: string
let root: string

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'deskhand-project-')))
  root = join(base, 'project')
  await mkdir(join(root, 'scripts', 'folder.py'), { recursive: true })
  await mkdir(join(root, '.deskhand'))
  for (const file of ['a.py', 'scripts/b.py', 'notes.txt', '.deskhand/state.py']) await writeFile(join(root, file), 'print(1)\n')
  await writeFile(join(base, 'outside.py'), 'print("outside")\n')
  await mkdir(join(base, 'project-twin'))
  await writeFile(join(base, 'project-twin', 'x.py'), '')
  await symlink(join(base, 'outside.py'), join(root, 'leak.py'))
  await symlink('..', join(root, 'up'))
  await symlink(join(base, 'project-twin'), join(root, 'twin'))
  await symlink('a.py', join(root, 'same.py'))
  await symlink('loop.py', join(root, 'loop.py'))
  await symlink('.deskhand/state.py', join(root, 'state.py'))
  execFileSync('mkfifo', [join(root, 'pipe.py')])
})
afterAll(() => rm(base, { recursive: true }))

test.each([
  ['@project/a.py', 'a.py'],
  ['@project/scripts/b.py', 'scripts/b.py'],
  ['scripts/b.py', 'scripts/b.py'],
  ['@project/same.py', 'a.py'],
])('%s is found in the project', async (alias, file) => {
  expect(await findScript(root, alias)).toEqual({ root, file })
})

test.each([
  '../outside.py',
  '@project/../outside.py',
  '@project/scripts/../../outside.py',
  '@project/scripts/../a.py',
  '@project//a.py',
  '@project/./a.py',
  '/etc/passwd.py',
  '@project//etc/x.py',
  '@project/leak.py',
  '@project/up/outside.py',
  '@project/twin/x.py',
  '@project/loop.py',
  '@project/pipe.py',
  '@project/scripts/folder.py',
  '@project/state.py',
  '@project/.deskhand/state.py',
  '@project/notes.txt',
  '@project/missing.py',
  '@project/',
  '@project',
  '@other/a.py',
  '@project/@project/a.py',
  'C:\\a.py',
  'scripts\\b.py',
  'file:///a.py',
  '~/a.py',
])('%s is refused', async (alias) => {
  await expect(findScript(root, alias)).rejects.toMatchObject({ code: 'BAD_ARGS' })
})

test('no path leads out of the project', async () => {
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'up',
    'twin',
    'scripts',
    'leak.py',
    'outside.py',
    'a.py',
    'project',
    'project-twin',
    '@project',
    '/',
    '\\',
    base,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
      const found = await findScript(root, parts.join('/')).catch(() => undefined)
      if (found) expect(['a.py', 'scripts/b.py']).toContain(found.file)
    }),
    { numRuns: 500 },
  )
})

test('the root of the file system is never lent', async () => {
  await expect(realRoot('/')).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  await expect(realRoot(join(base, 'nowhere'))).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  await expect(realRoot(join(root, 'a.py'))).rejects.toMatchObject({ code: 'BAD_CONFIG' })
})
