import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sdkPage } from '../support/sdk-docs.ts'

test('docs/sdk.md has what the package exports, as its types say it: vitest -u writes it anew', async () => {
  await expect(sdkPage()).toMatchFileSnapshot(resolve(import.meta.dirname, '../../docs/sdk.md'))
})
