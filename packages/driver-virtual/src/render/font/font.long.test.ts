import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the shipped outlines are those that the script cuts from the Noto packages', { timeout: 300_000 }, () => {
  const script = fileURLToPath(new URL('../../../../../scripts/make-fonts.mjs', import.meta.url))
  expect(spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})
