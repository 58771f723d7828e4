import type { Risk } from '@deskhand/core/model'
import { Tooltip } from 'radix-ui'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import type { Mark, Phrase } from '../state/sentences.ts'
import { TEXT } from '../text.ts'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'danger' | 'refuse' | 'quiet'
  /** The key that does the same, shown beside the label. */
  hint?: string
}

export function Button({ look, hint, className = '', children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button ${look ?? ''} ${className}`} {...rest}>
      {children}
      {hint !== undefined && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  )
}

export function Chip({ look = '', children }: { look?: '' | 'ok' | 'warn' | 'bad' | 'plain'; children: ReactNode }) {
  return <span className={`chip ${look}`}>{children}</span>
}

const RISK_LOOKS = { low: 'plain', medium: 'warn', high: 'bad', prohibited: 'bad' } as const

/** How risky a call is, and why, as words. */
export function RiskWords({ risk }: { risk: Risk }) {
  return (
    <div className="risk">
      <Chip look={RISK_LOOKS[risk.level]}>{TEXT.risk[risk.level]}</Chip>
      <RiskFactors risk={risk} />
    </div>
  )
}

export function RiskFactors({ risk: { factors } }: { risk: Risk }) {
  if (factors.length === 0) return null
  return (
    <small>
      {TEXT.whyRisk} {factors.map((factor) => factor.detail).join(' · ')}
    </small>
  )
}

export function Words({ of }: { of: Phrase }) {
  return of.map((part, i) => (typeof part === 'string' ? part : <strong key={i}>{part.strong}</strong>))
}

export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export const MARK_LOOKS: Readonly<Record<Mark, 'ok' | '' | 'warn' | 'bad' | 'plain'>> = {
  confirmed: 'ok',
  changed: '',
  unverified: 'plain',
  no_effect: 'warn',
  refused: 'bad',
  denied: 'bad',
  asking: 'warn',
  running: '',
  read: 'plain',
  done: 'plain',
  rehearsed: 'plain',
}

export function EffectMark({ mark }: { mark: Mark }) {
  return <Chip look={MARK_LOOKS[mark]}>{TEXT.marks[mark]}</Chip>
}

export function Hint({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tip" sideOffset={6}>
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
