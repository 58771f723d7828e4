import type { Step } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { WinNode } from '../node.ts'

/** A step on a node by the interface of its toolkit. */
export type SemanticStep = Extract<Step, { key: string }> & {
  do: 'press' | 'focus' | 'expand' | 'collapse' | 'select' | 'reveal' | 'setText' | 'setValue'
}

export const incapable = ({ face }: WinNode, why: string): DeskhandError =>
  new DeskhandError('NOT_CAPABLE', `the ${face.role} ${JSON.stringify(face.name ?? '')} ${why}`, {
    next: 'Operate it by pointer and keys.',
  })
