import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { TEXT } from '../text.ts'

/** A text to copy. `label` says what it is, for those who hear it. */
export function Snippet({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState('')
  const isCopied = copied === text
  const words = isCopied ? TEXT.copied : TEXT.copy
  return (
    <div className="snippet">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button
        type="button"
        className="button quiet"
        title={words}
        aria-label={label === undefined ? words : `${words}: ${label}`}
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopied(text),
            () => setCopied(''),
          )
        }
      >
        {isCopied ? <Check size={15} aria-hidden="true" /> : <Copy size={15} aria-hidden="true" />}
      </button>
    </div>
  )
}
