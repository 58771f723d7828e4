import { within, type Observe } from '../../driver/driver.ts'
import type { Redactor } from '../ports.ts'
import { windowOf, type LiveTree } from '../see/live-tree.ts'

const LOOK_MS = 10_000

/** What a person's click or key went to, in words; never what they typed. */
export async function humanTarget(
  { tree, observe, redactor }: { tree: LiveTree; observe: Observe; redactor: Redactor },
  what: 'buttons' | 'keys',
): Promise<string | undefined> {
  const key = what === 'keys' ? tree.focus : (await observe.hit(await observe.pointer(within(LOOK_MS)), within(LOOK_MS))).node
  await tree.sync()
  const node = key === undefined ? undefined : tree.node(key)
  if (node === undefined) return undefined
  const window = windowOf(node)?.name
  const words = [node.role, node.name, window === node.name ? undefined : window, node.app.name]
  return redactor.text(words.filter((w) => w !== undefined && w !== '').join(', '))
}
