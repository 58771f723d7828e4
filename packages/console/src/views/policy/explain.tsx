import type { Explanation } from '@deskhand/core/model'
import { useState } from 'react'
import { useAct, useConsole } from '../../parts/context.ts'
import { Button } from '../../parts/parts.tsx'
import { TEXT } from '../../text.ts'

/** What the policy would say to a call of an agent now. */
export function Explain() {
  const { store } = useConsole()
  const [tool, setTool] = useState('ui.click')
  const [target, setTarget] = useState('')
  const [found, setFound] = useState<Explanation>()
  const act = useAct()
  return (
    <section className="panel padded rows">
      <h2>{TEXT.policy.explain}</h2>
      <form
        className="acts"
        onSubmit={(event) => {
          event.preventDefault()
          act(async () => setFound(await store.api.explain(tool, target === '' ? {} : { target }, 'agent')))
        }}
      >
        <input className="field" aria-label="Tool" value={tool} onChange={(event) => setTool(event.target.value)} />
        <input
          className="field wide mono"
          aria-label="Target"
          placeholder='name="Save"'
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        />
        <Button type="submit">{TEXT.policy.test}</Button>
      </form>
      {found !== undefined && <pre>{found.text}</pre>}
    </section>
  )
}
