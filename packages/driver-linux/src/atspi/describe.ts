import type { Variant } from '../dbus/index.ts'
import type { App } from './app.ts'
import { childCount } from './children.ts'
import { ACCESSIBLE, interfaceBits } from './names.ts'
import type { MirrorNode } from './node.ts'

/** Asks a node what it is. Of what is out of view in a page, no more than readers are told: every question costs as much as the others. */
export async function describe(
  app: App,
  node: MirrorNode,
  { isInView, hasStates }: { isInView: boolean; hasStates: boolean },
): Promise<void> {
  const [words, role] = await Promise.all([
    app.toolkit.isTerse || app.toolkit.crashesOnCache ? wordsAtOnce(app, node) : wordsOf(app, node),
    app.call(node.path, ACCESSIBLE, 'GetRole', '', [], 'u'),
    hasStates ? undefined : loadState(app, node),
    isInView || !app.toolkit.isTerse ? loadInterfaces(app, node) : undefined,
  ])
  node.name = words.name
  node.description = words.description
  node.claimed = words.count
  node.role = role[0]
}

interface Words {
  name: string
  description: string
  count: number
}

async function wordsOf(app: App, node: MirrorNode): Promise<Words> {
  const [name, description, count] = await Promise.all([
    app.get(node.path, ACCESSIBLE, 'Name', 's').catch(() => ''),
    app.get(node.path, ACCESSIBLE, 'Description', 's').catch(() => ''),
    childCount(app, node),
  ])
  return { name, description, count }
}

/** All properties in one answer, which costs hardly more than one of them. */
async function wordsAtOnce(app: App, node: MirrorNode): Promise<Words> {
  const [all] = await app.call(node.path, 'org.freedesktop.DBus.Properties', 'GetAll', 's', [ACCESSIBLE], 'a{sv}')
  const text = ({ value }: Variant | { value?: undefined } = {}): string => (typeof value === 'string' ? value : '')
  const count = all.get('ChildCount')?.value
  // A node that does not say how many children it has must not be taken for one without.
  return {
    name: text(all.get('Name')),
    description: text(all.get('Description')),
    count: typeof count === 'number' ? count : await childCount(app, node),
  }
}

export async function loadState(app: App, node: MirrorNode): Promise<void> {
  const [words] = await app.call(node.path, ACCESSIBLE, 'GetState', '', [], 'au')
  node.low = words[0] ?? 0
  node.high = words[1] ?? 0
}

export async function loadInterfaces(app: App, node: MirrorNode): Promise<void> {
  const [names] = await app.call(node.path, ACCESSIBLE, 'GetInterfaces', '', [], 'as')
  node.interfaces = interfaceBits(names)
}

/** Asks again what a node is called and is. */
export async function askName(app: App, node: MirrorNode): Promise<void> {
  const [name, role] = await Promise.all([
    app.get(node.path, ACCESSIBLE, 'Name', 's').catch(() => node.name),
    app.call(node.path, ACCESSIBLE, 'GetRole', '', [], 'u').catch(() => [node.role]),
  ])
  node.name = name
  node.role = role[0] ?? node.role
}
