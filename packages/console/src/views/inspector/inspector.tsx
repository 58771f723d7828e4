import { MousePointerClick } from 'lucide-react'
import { useState } from 'react'
import { useDraft } from '../../parts/context.ts'
import { Empty } from '../../parts/parts.tsx'
import { elementOf, useTree, type TreeNode } from '../../state/tree.ts'
import { TEXT } from '../../text.ts'
import { labelOf, Screen, type Outlined } from '../desktop/screen.tsx'
import { ElementFacts } from './element-facts.tsx'
import { Elements } from './elements.tsx'
import { Playground, useTried } from './playground.tsx'

/** The live tree in step with the picture, one element's facts, and a place to try selectors. */
export function InspectorView() {
  const tree = useTree(true)
  const [chosenThen, setChosen] = useState<TreeNode>()
  const [pointedThen, setPointed] = useState<TreeNode>()
  const chosen = asNow(tree, chosenThen)
  const pointed = asNow(tree, pointedThen)
  const [selector = '', setSelector] = useDraft('selector')
  const tried = useTried(selector)
  // Labels of many would lie on each other; each has its number in the list.
  const isOne = tried.matches.length === 1
  const isOther = (node: TreeNode): boolean => node !== chosen || tried.matches.length === 0
  const outlined: Outlined[] = [
    ...[chosen, pointed === chosen ? undefined : pointed].flatMap((node) =>
      node?.bounds === undefined ? [] : [{ bounds: node.bounds, look: 'hover' as const, label: isOther(node) ? labelOf(node) : '' }],
    ),
    ...tried.matches.flatMap(({ bounds, role, name, confidence }, i) =>
      bounds === undefined
        ? []
        : [{ bounds, look: 'step' as const, label: isOne ? `${role} ${name ?? ''} ${Math.round(confidence * 100)}%` : `${i + 1}` }],
    ),
  ]
  return (
    <main className="inspect">
      <Elements tree={tree} chosen={chosen} choose={setChosen} point={setPointed} />
      <div className="stage">
        <h1 className="visually-hidden">{TEXT.views.inspector}</h1>
        <Screen more={outlined} picking={{ tree, pick: setChosen }} />
        <label className="rows">
          <span className="visually-hidden">{TEXT.inspector.selector}</span>
          <input
            className="field mono"
            placeholder={TEXT.inspector.tryIt}
            value={selector}
            onChange={(event) => setSelector(event.target.value)}
          />
        </label>
      </div>
      <section className="detail" aria-label={TEXT.inspector.element}>
        {selector !== '' && <Playground selector={selector} tried={tried} />}
        {chosen !== undefined && <ElementFacts key={chosen.id} node={chosen} />}
        {chosen === undefined && selector === '' && (
          <Empty icon={<MousePointerClick size={26} aria-hidden="true" />} title={TEXT.inspector.pick} />
        )}
      </section>
    </main>
  )
}

/** The same element in the tree as it is now: it may have moved; as it was last, where it is gone. */
const asNow = (tree: readonly TreeNode[] | undefined, then: TreeNode | undefined): TreeNode | undefined =>
  then && (elementOf(tree ?? [], then.id) ?? then)
