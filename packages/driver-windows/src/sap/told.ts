import type { Scripted } from '../com/dispatch.ts'

/** What is asked of every component. */
const FACTS = [
  'Id',
  'Type',
  'SubType',
  'ContainerType',
  'Text',
  'Tooltip',
  'Changeable',
  'Required',
  'Selected',
  'Value',
  'ScreenLeft',
  'ScreenTop',
  'Width',
  'Height',
] as const
type Fact = (typeof FACTS)[number]

/** A component of SAP GUI as it tells of itself. */
export interface Component {
  readonly type: string
  text(fact: Fact): string
  number(fact: Fact): number
  truth(fact: Fact, otherwise: boolean): boolean
  children(): Component[]
  /** The object itself, for what only it knows: entries, cells, tools. */
  live(): Scripted
  /** Lets go of the object. */
  free(): void
}

const CONTAINERS: ReadonlySet<string> = new Set(['GuiMainWindow', 'GuiModalWindow', 'GuiUserArea', 'GuiTabStrip', 'GuiToolbar'])
// oxfmt-ignore
const LEAVES: ReadonlySet<string> = new Set([
  'GuiTextField', 'GuiCTextField', 'GuiOkCodeField', 'GuiPasswordField', 'GuiTextedit', 'GuiButton', 'GuiLabel', 'GuiCheckBox', 'GuiRadioButton',
  'GuiComboBox',
])

/** A window and all in it in one call, where SAP GUI knows GetObjectTree (7.70 and later); else with a call for each fact. */
export function componentOf(window: Scripted, session: Scripted): Component {
  const tree = session.maybe((s) => s.text('GetObjectTree', window.text('Id'), FACTS), '')
  return tree === '' ? asked(window) : (told(tree, session) ?? asked(window))
}

function asked(object: Scripted): Component {
  const type = object.text('Type')
  const subType = type === 'GuiShell' ? object.maybe((o) => o.text('SubType'), '') : ''
  object.as(`${type} ${subType}`)
  const isContainer = (): boolean => CONTAINERS.has(type) || (!LEAVES.has(type) && object.maybe((o) => o.truth('ContainerType'), false))
  return {
    type,
    text: (fact) => (fact === 'SubType' ? subType : object.maybe((o) => o.text(fact), '')),
    number: (fact) => object.maybe((o) => o.number(fact), 0),
    truth: (fact, otherwise) => object.maybe((o) => o.truth(fact), otherwise),
    children: () => (isContainer() ? all(object).map(asked) : []),
    live: () => object,
    free: () => object.free(),
  }
}

interface Told {
  properties?: Partial<Record<Fact, string | number | boolean>>
  children?: Told[]
}

/** Undefined for what is no tree. */
function told(json: string, session: Scripted): Component | undefined {
  const tree = JSON.parse(json) as Told
  const root = tree.properties === undefined ? tree.children?.[0] : tree
  return root?.properties?.Id === undefined ? undefined : fromTree(root, session)
}

function fromTree({ properties = {}, children = [] }: Told, session: Scripted): Component {
  const text = (fact: Fact): string => String(properties[fact] ?? '')
  let object: Scripted | undefined
  return {
    type: text('Type'),
    text,
    number: (fact) => Number(properties[fact] ?? 0) || 0,
    truth: (fact, otherwise) => (text(fact) === '' ? otherwise : /^(true|1|-1|x)$/i.test(text(fact))),
    children: () => children.map((child) => fromTree(child, session)),
    live: () => (object ??= session.child('FindById', text('Id')).as(`${text('Type')} ${text('SubType')}`)),
    free: () => object?.free(),
  }
}

/** The children of an object. */
export function all(parent: Scripted): Scripted[] {
  const children = parent.child('Children')
  const found = items(children)
  children.free()
  return found
}

/** The objects in a collection. */
export function items(collection: Scripted): Scripted[] {
  collection.as('collection')
  return Array.from({ length: collection.number('Count') }, (_, i) => collection.child('ElementAt', i))
}

/** The texts in a collection, which is let go of. */
export function texts(collection: Scripted): string[] {
  collection.as('collection')
  const found = Array.from({ length: collection.number('Count') }, (_, i) => collection.text('ElementAt', i))
  collection.free()
  return found
}
