import { expect, test } from 'vitest'
import { DEFAULTS } from '../../packages/deskhand/src/defaults.ts'
import { described } from '../../packages/deskhand/src/mcp/describe.ts'
import { listed, TOOLS } from '../../packages/deskhand/src/tools/list.ts'
import { listedTools } from '../../packages/deskhand/src/tools/listing.ts'
import { TOOLSETS, type Toolset } from '../../packages/deskhand/src/tools/toolsets.ts'

test('what models are told of the tools is kept in a file, as the tools are now: vitest -u writes it anew', async () => {
  const lines = TOOLS.map((tool) => JSON.stringify(listed(tool)))
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('../../packages/deskhand/tools.json')
})

/** Schemas have more than four characters to a token: 4.3 by the tokenizer that the bench counts with. */
const CHARACTERS_PER_TOKEN = 4

test.each<[string, readonly Toolset[], number]>([
  ['every toolset', TOOLSETS, 6_000],
  ['the toolsets that clients get without asking', DEFAULTS.toolsets, 4_000],
])('the list of %s is sent in few tokens', async (_, toolsets, most) => {
  const tools = await Promise.all(
    listedTools()
      .filter((t) => toolsets.includes(t.toolset))
      .map((t) => described(t, 'short')),
  )
  expect(tools.length).toBeGreaterThan(20)
  expect(JSON.stringify({ tools }).length / CHARACTERS_PER_TOKEN).toBeLessThanOrEqual(most)
})

test('how elements are named is told with the tool that finds them, in few tokens', () => {
  const { description = '' } = TOOLS.find((tool) => tool.name === 'ui.query') ?? {}
  for (const part of ['&&', '~=', 'has(', '>>', 'e12 >>', 'nth=', '??', 'right-of']) expect(description).toContain(part)
  expect(description.length / CHARACTERS_PER_TOKEN).toBeLessThanOrEqual(150)
})
