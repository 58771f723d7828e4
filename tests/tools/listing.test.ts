import { expect, test } from 'vitest'
import { listed, TOOLS } from '../../packages/deskhand/src/tools/list.ts'

test('what models are told of the tools is kept in a file, as the tools are now: vitest -u writes it anew', async () => {
  const lines = TOOLS.map((tool) => JSON.stringify(listed(tool)))
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('../../packages/deskhand/tools.json')
})
