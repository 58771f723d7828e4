import { useCallback } from 'react'
import { useConsole } from '../../parts/context.ts'
import { Read, useReading } from '../../parts/reading.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import type { TreeNode } from '../../state/tree.ts'
import { TEXT } from '../../text.ts'
import { labelOf } from '../desktop/screen.tsx'
import { Verdict } from './verdict.tsx'

/** Told elsewhere, or long. */
const LEFT_OUT: ReadonlySet<string> = new Set(['children', 'selector', 'id'])

/** One element: its properties, the selector that names it alone, calls to copy, and what the policy would say to a click. */
export function ElementFacts({ node }: { node: TreeNode }) {
  const { store, api } = useConsole()
  const describe = useCallback(
    async () => (await store.api.call('ui.describe', { element: node.id })).data as Record<string, unknown>,
    [node.id, store],
  )
  const facts = useReading(describe)
  return (
    <>
      <h2>{labelOf(node)}</h2>
      <Read of={facts}>
        {(known) => {
          const selector = typeof known['selector'] === 'string' ? known['selector'] : `role=${node.role}`
          const args = { target: selector }
          return (
            <>
              <dl className="facts">
                {Object.entries(known)
                  .filter(([name]) => !LEFT_OUT.has(name))
                  .map(([name, value]) => (
                    <FactRow key={name} name={name} value={value} />
                  ))}
              </dl>
              {api.mayOperate && <Verdict selector={selector} />}
              <div>
                <h3>{TEXT.inspector.selector}</h3>
                <Snippet text={selector} label={TEXT.inspector.selector} />
              </div>
              <div className="rows">
                <h3>{TEXT.inspector.calls}</h3>
                {Object.entries(callsOf(args, store.api.name)).map(([face, text]) => (
                  <div key={face}>
                    <small>{face}</small>
                    <Snippet text={text} label={face} />
                  </div>
                ))}
              </div>
            </>
          )
        }}
      </Read>
    </>
  )
}

/** A click on it, as each face takes it. */
function callsOf(args: { target: string }, desktop: string): Readonly<Record<string, string>> {
  return {
    [TEXT.inspector.commandLine]: `deskhand --name ${desktop} call ui.click ${inShell(JSON.stringify(args))}`,
    TypeScript: `await desk.call('ui.click', ${JSON.stringify(args)})`,
    MCP: JSON.stringify({ method: 'tools/call', params: { name: 'ui.click', arguments: args } }),
  }
}

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function FactRow({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{TEXT.inspector.facts[name] ?? name}</dt>
      <dd>{wordsOf(value)}</dd>
    </>
  )
}

/** States that hold by their names; other values as they are written. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  return Object.entries(value)
    .filter(([, inner]) => inner !== false && inner !== null)
    .map(([name, inner]) => (inner === true ? name : `${name} ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`))
    .join(', ')
}
