/** By hand: `npx tsx tests/support/compare-desktop.ts <sandbox>` compares what the broker of a sandbox that is up shows with what pyatspi finds there. */
import { execFileSync } from 'node:child_process'
import type { ElementNode } from '@deskhand/core/model'
import { BIN } from './cli.ts'
import { compareTrees, readTree } from './compare-tree.ts'

const deskhand = (...args: string[]): string => execFileSync(process.execPath, [BIN, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 })

interface Listed {
  id: string
  name: string
  width: number
  height: number
}
const sandboxes = JSON.parse(deskhand('desktop', 'list', '--json')) as Listed[]
const [, , wanted] = process.argv
const sandbox = sandboxes.find((s) => wanted === undefined || s.id === wanted || s.name === wanted)
if (sandbox === undefined) throw new Error('no such sandbox is up; see: deskhand desktop list')

// Ours first: pyatspi may repair what it looks at.
const { data } = JSON.parse(deskhand('call', 'ui.snapshot', '{"scope":"desktop","includeTree":true}')) as { data: { tree: ElementNode } }
const theirs = await readTree((...command) => deskhand('desktop', 'run', sandbox.id, '--', ...command))
const { missing, ghosts, agreed, excluded } = compareTrees(data.tree, theirs, { x: 0, y: 0, w: sandbox.width, h: sandbox.height })
for (const line of missing) console.log(`missing  ${line}`)
for (const line of ghosts) console.log(`ghost    ${line}`)
for (const [reason, count] of Object.entries(excluded)) console.log(`${count} with an exclusion: ${reason}`)
console.log(`${agreed} agree, ${missing.length} missing, ${ghosts.length} ghosts`)
process.exitCode = missing.length + ghosts.length === 0 ? 0 : 1
