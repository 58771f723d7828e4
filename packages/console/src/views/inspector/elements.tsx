import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useUnread } from '../../parts/context.ts'
import { Empty } from '../../parts/parts.tsx'
import type { TreeNode } from '../../state/tree.ts'
import { TEXT } from '../../text.ts'

const ROW_PX = 26

interface ElementsProps {
  /** Absent until it was read. */
  tree: readonly TreeNode[] | undefined
  chosen: TreeNode | undefined
  choose(node: TreeNode): void
  /** The element under the pointer, or with the focus; it is outlined on the picture. */
  point(node: TreeNode | undefined): void
}

/** The tree as rows. What is chosen on the picture is brought into view here. */
export function Elements({ tree, chosen, choose, point }: ElementsProps) {
  const [filter, setFilter] = useState('')
  const place = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => flat(tree ?? [], filter.toLowerCase()), [tree, filter])
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => place.current, estimateSize: () => ROW_PX, overscan: 20 })
  const unread = useUnread()
  const at = rows.findIndex(({ node }) => node.id === chosen?.id)
  /** Whether a row is fully in view. */
  const isShown = (index: number): boolean => {
    const { startIndex, endIndex } = list.range ?? { startIndex: 0, endIndex: 0 }
    return index > startIndex && index < endIndex
  }
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: isShown(at) ? 'auto' : 'center' })
  }, [at, list])
  const move = (by: 1 | -1): void => {
    const next = rows[at + by]
    if (next === undefined) return
    choose(next.node)
    list.scrollToIndex(at + by)
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-id="${next.node.id}"]`)?.focus())
  }
  const items = list.getVirtualItems()
  const isInView = items.some(({ index }) => index === at)
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
      <div ref={place} className="scroll tree" onPointerLeave={() => point(undefined)}>
        {rows.length === 0 ? (
          <Empty title={tree === undefined ? unread : tree.length === 0 ? TEXT.inspector.nothing : TEXT.inspector.noElement} />
        ) : (
          <div
            role="listbox"
            aria-label={TEXT.inspector.tree}
            style={{ height: list.getTotalSize(), position: 'relative' }}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
              event.preventDefault()
              move(event.key === 'ArrowDown' ? 1 : -1)
            }}
          >
            {items.map(({ key, index, start }, i) => {
              const { node, depth } = rows[index] ?? { node: undefined, depth: 0 }
              if (node === undefined) return null
              return (
                <button
                  key={key}
                  type="button"
                  role="option"
                  aria-selected={index === at}
                  tabIndex={index === at || (!isInView && i === 0) ? 0 : -1}
                  data-id={node.id}
                  style={{
                    position: 'absolute',
                    top: 0,
                    height: ROW_PX,
                    paddingLeft: 12 + depth * 14,
                    transform: `translateY(${start}px)`,
                  }}
                  onClick={() => choose(node)}
                  onPointerEnter={() => point(node)}
                >
                  <span className="role">{node.role}</span> <span className="name">{node.name}</span>
                </button>
              )
            })}
          </div>
        )}
      </div>
    </section>
  )
}

function flat(nodes: readonly TreeNode[], filter: string, depth = 0, rows: { node: TreeNode; depth: number }[] = []) {
  for (const node of nodes) {
    if (filter === '' || `${node.role} ${node.name ?? ''}`.toLowerCase().includes(filter)) rows.push({ node, depth })
    flat(node.children ?? [], filter, depth + 1, rows)
  }
  return rows
}
