import { createRequire } from 'node:module'
import { join } from 'node:path'
import { npmFolder } from '../../tests/support/npm-folder.ts'
import { tokens } from '../../packages/core/src/session/see/tokens.ts'

const PEERS = { '@trycua/cua-driver': '0.28.2', 'computer-use-mcp': '1.8.0', 'gpt-tokenizer': '4.0.0' }

/** The peers from npm, in a cache folder of their own; nothing of them becomes ours, and none of their scripts runs. */
export function npmPeers(): string {
  return npmFolder('deskhand-bench', PEERS)
}

/** Counts tokens as a model's own tokenizer does; where that is not here, as our budgets do. */
export async function tokenizer(dir: string | undefined): Promise<(text: string) => number> {
  if (dir === undefined) return tokens
  const entry: string = createRequire(join(dir, 'package.json')).resolve('gpt-tokenizer')
  const { countTokens } = (await import(entry)) as { countTokens: (text: string) => number }
  return countTokens
}
