import { useState } from 'react'
import { attention, chooseAttention, type Attention as Choice } from '../../state/attention.ts'
import { TEXT } from '../../text.ts'

/** How the person wants to hear of a question. */
export function Attention() {
  const [choice, setChoice] = useState(attention)
  const [isRefused, setRefused] = useState(false)
  const choose = async (wanted: Choice): Promise<void> => {
    const now = await chooseAttention(wanted)
    setChoice(now)
    setRefused(wanted.notification && !now.notification)
  }
  return (
    <section className="panel padded rows">
      <h2>{TEXT.attention.heading}</h2>
      {(['sound', 'notification'] as const).map((name) => (
        <label key={name} className="acts">
          <input type="checkbox" checked={choice[name]} onChange={(event) => void choose({ ...choice, [name]: event.target.checked })} />
          {TEXT.attention[name]}
        </label>
      ))}
      {isRefused && <small role="alert">{TEXT.attention.refused}</small>}
    </section>
  )
}
