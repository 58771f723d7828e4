import type { Explanation, Rect } from '@deskhand/core/model'
import { useEffect, useMemo, useState } from 'react'
import { useConsole, wordsOf } from '../../parts/context.ts'
import { Chip, Empty } from '../../parts/parts.tsx'
import { useTree, type TreeNode } from '../../state/tree.ts'
import { TEXT } from '../../text.ts'
import { labelOf, Screen, type Outlined } from '../desktop/screen.tsx'

const TRY_MS = 300

interface Found {
  elementId?: string
  role: string
  name?: string
  bounds?: Rect
  confidence: number
  why: readonly string[]
}

/** The live tree in step with the picture, one element's facts, and a place to try selectors. */
export function InspectorView() {
  const tree = useTree(true)
  const [chosen, setChosen] = useState<TreeNode>()
  const [selector, setSelector] = useState('')
  const tried = useTried(selector)
  const outlined: Outlined[] = [
    ...(chosen?.bounds === undefined ? [] : [{ bounds: chosen.bounds, look: 'hover' as const, label: labelOf(chosen) }]),
    ...tried.matches.flatMap(({ bounds, role, name, confidence }) =>
      bounds === undefined ? [] : [{ bounds, look: 'step' as const, label: `${role} ${name ?? ''} ${Math.round(confidence * 100)}%` }],
    ),
  ]
  return (
    <main className="inspect">
      <Elements tree={tree} chosen={chosen} choose={setChosen} />
      <div className="stage">
        <h1 className="visually-hidden">{TEXT.views.inspector}</h1>
        <Screen more={outlined} onPick={setChosen} />
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
      <section className="detail" aria-label="Element">
        {selector !== '' && (
          <div className="rows" role="status">
            {tried.problem === '' ? (
              <Chip look={tried.matches.length === 1 ? 'ok' : 'warn'}>{TEXT.inspector.matches(tried.matches.length)}</Chip>
            ) : (
              tried.problem
            )}
            {tried.matches.slice(0, 12).map((match, i) => (
              <small key={i}>
                {match.elementId} {match.role} {match.name !== undefined && `“${match.name}”`}: {match.why.join('; ')}
              </small>
            ))}
          </div>
        )}
        {chosen === undefined ? <Empty title={TEXT.inspector.pick} /> : <Facts key={chosen.id} node={chosen} />}
      </section>
    </main>
  )
}

function Elements({ tree, chosen, choose }: { tree: readonly TreeNode[]; chosen: TreeNode | undefined; choose(node: TreeNode): void }) {
  const [filter, setFilter] = useState('')
  const rows = useMemo(() => flat(tree, filter.toLowerCase()), [tree, filter])
  return (
    <section className="stack" aria-label={TEXT.inspector.tree}>
      <div className="bar">
        <input
          className="field"
          type="search"
          placeholder={TEXT.inspector.filter}
          aria-label={TEXT.inspector.filter}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <div className="scroll tree" role="listbox" aria-label={TEXT.inspector.tree}>
        {rows.map(({ node, depth }) => (
          <button
            key={node.id}
            type="button"
            role="option"
            aria-selected={node.id === chosen?.id}
            style={{ paddingLeft: 12 + depth * 14 }}
            onClick={() => choose(node)}
          >
            <span className="role">{node.role}</span> {node.name}
          </button>
        ))}
      </div>
    </section>
  )
}

const MOST_ROWS = 2_000

function flat(nodes: readonly TreeNode[], filter: string, depth = 0, rows: { node: TreeNode; depth: number }[] = []) {
  for (const node of nodes) {
    if (rows.length >= MOST_ROWS) return rows
    if (filter === '' || `${node.role} ${node.name ?? ''}`.toLowerCase().includes(filter)) rows.push({ node, depth })
    flat(node.children ?? [], filter, depth + 1, rows)
  }
  return rows
}

function Facts({ node }: { node: TreeNode }) {
  const { store, api } = useConsole()
  const [more, setMore] = useState<Record<string, unknown>>()
  const [verdict, setVerdict] = useState<Explanation>()
  // Ids are each caller's own; a selector means the same to every agent.
  const selector = `role=${node.role}${node.name ? ` && name=${JSON.stringify(node.name)}` : ''}`
  useEffect(() => {
    void store.api.call('ui.describe', { element: node.id }).then(
      ({ data }) => setMore(data as Record<string, unknown>),
      () => setMore(undefined),
    )
    if (api.mayOperate) void store.api.explain('ui.click', { target: selector }, 'agent').then(setVerdict, () => setVerdict(undefined))
  }, [api, node.id, selector, store])
  return (
    <>
      <h2>{labelOf(node)}</h2>
      <dl className="facts">
        {Object.entries(more ?? node)
          .filter(([name]) => name !== 'children')
          .map(([name, value]) => (
            <FactRow key={name} name={name} value={value} />
          ))}
      </dl>
      <h3>{TEXT.inspector.selector}</h3>
      <pre>{selector}</pre>
      <pre>{`deskhand call ui.click '${JSON.stringify({ target: selector })}'`}</pre>
      <pre>{`await desk.call('ui.click', ${JSON.stringify({ target: selector })})`}</pre>
      <pre>{JSON.stringify({ method: 'tools/call', params: { name: 'ui.click', arguments: { target: selector } } })}</pre>
      {verdict !== undefined && (
        <>
          <h3>{TEXT.inspector.wouldClick}</h3>
          <div className="chips">
            <Chip look={verdict.decision.verdict === 'allow' ? 'ok' : verdict.decision.verdict === 'deny' ? 'bad' : 'warn'}>
              {TEXT.verdicts[verdict.decision.verdict]}
            </Chip>
            <Chip look="plain">{TEXT.risk[verdict.risk.level]}</Chip>
          </div>
          <p>{verdict.decision.reason}</p>
        </>
      )}
    </>
  )
}

function FactRow({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </>
  )
}

/** What a selector finds, a moment after it was typed. */
function useTried(selector: string): { matches: readonly Found[]; problem: string } {
  const { store } = useConsole()
  const [found, setFound] = useState<{ matches: readonly Found[]; problem: string }>({ matches: [], problem: '' })
  useEffect(() => {
    if (selector === '') return setFound({ matches: [], problem: '' })
    const timer = setTimeout(() => {
      void store.api.call('ui.query', { selector, limit: 100, timeoutMs: 0 }).then(
        ({ data }) => setFound({ matches: (data as { matches?: readonly Found[] }).matches ?? [], problem: '' }),
        (thrown: unknown) => setFound({ matches: [], problem: wordsOf(thrown) }),
      )
    }, TRY_MS)
    return () => clearTimeout(timer)
  }, [selector, store])
  return found
}
