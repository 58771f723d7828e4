import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import assert from 'node:assert'
import { desktopTest, expect } from 'deskhand/test'

const dir = mkdtempSync(join(tmpdir(), 'notes-'))
after(() => rmSync(dir, { recursive: true }))
const file = join(dir, 'notes.txt')
writeFileSync(file, '')

test(
  'a real editor saves what was written, and its neighbour on another desktop knows nothing of it',
  desktopTest({ sandbox: true, launch: [['mousepad', file]] }, async ({ desk, open }) => {
    const other = await open({ sandbox: true, launch: [['mousepad']] })
    const text = desk.get('role=textbox', { timeoutMs: 20_000 })
    await text.fill('für Anna')
    await text.press('ctrl+s')
    await expect(desk.get(`role=window && name^="*"`)).not.toBePresent()
    assert.equal(readFileSync(file, 'utf8').trim(), 'für Anna')
    await expect(other.get('role=textbox')).toHaveValue('')
  }),
)
