import { within } from '../driver/driver.ts'
import type { Session } from './session.ts'
import { windowOf } from './tree.ts'

const LOOK_MS = 10_000

/** What a person's click or key went to, in words; never what they typed. */
export async function touchedBy(s: Session, what: 'buttons' | 'keys'): Promise<string | undefined> {
  const key = what === 'keys' ? s.tree.focus : (await s.observe.hit(await s.observe.pointer(within(LOOK_MS)), within(LOOK_MS))).node
  await s.tree.sync()
  const node = key === undefined ? undefined : s.tree.node(key)
  if (node === undefined) return undefined
  const window = windowOf(node)?.name
  const words = [node.role, node.name, window === node.name ? undefined : window, node.app.name]
  return s.ports.redactor.text(words.filter((w) => w !== undefined && w !== '').join(', '))
}
