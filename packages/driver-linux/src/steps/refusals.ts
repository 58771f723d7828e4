import { DeskhandError } from '@deskhand/core/errors'
import type { MirrorNode } from '../atspi/node.ts'
import { hasState } from '../atspi/states.ts'

/** What this element's toolkit does not offer. */
export function incapable(node: MirrorNode, why: string): DeskhandError {
  return new DeskhandError('NOT_CAPABLE', `the ${node.app.identity.toolkit ?? ''} element ${why}`.replace('  ', ' '))
}

export function mustBeEnabled(node: MirrorNode): void {
  if (!hasState(node, 'sensitive') && !hasState(node, 'enabled')) throw new DeskhandError('NOT_ACTIONABLE', 'the element is disabled')
}
