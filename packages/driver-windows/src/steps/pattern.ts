import { DeskhandError } from '@deskhand/core/errors'
import { Refused, TooLate } from '../com/helper.ts'
import type { WindowsDesktop } from '../desktop.ts'
import { topOf, type WinNode } from '../node.ts'
import { ELEMENT_GONE, type UiaStep } from '../uia/client.ts'
import { user32 } from '../win32/api.ts'
import { incapable, type SemanticStep } from './semantic-step.ts'
import { activate } from './window.ts'

const ELEMENT_DISABLED = 0x80040200

/** What an element is asked to do by a pattern of UI Automation. Says which method was called. */
export async function patternStep(desk: WindowsDesktop, node: WinNode, step: SemanticStep): Promise<string> {
  const { states } = node.face
  if ((step.do === 'expand' || step.do === 'collapse') && states.expanded === (step.do === 'expand')) return 'already'
  if (step.do === 'focus' && user32.GetForegroundWindow() !== node.hwnd) await activate(node.hwnd)
  return inWords(node, () => desk.uia.act(node, asStep(node, step)))
}

/** What COM answered, as a failure that agents know. */
export async function inWords(node: WinNode, run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof TooLate) throw new DeskhandError('APP_HUNG', `"${topOf(node).face.name}" does not answer: ${error.message}`)
    if (!(error instanceof Refused)) throw error
    if (error.result === ELEMENT_GONE) throw new DeskhandError('STALE_REF', 'the element is gone')
    if (error.result === ELEMENT_DISABLED) throw new DeskhandError('NOT_ACTIONABLE', 'the element is disabled')
    throw incapable(node, `could not do it: ${error.message}`)
  }
}

/** A value pattern knows whole values only, so what is added is added here. */
function asStep(node: WinNode, step: SemanticStep): UiaStep {
  if (step.do === 'setValue') return { do: 'setValue', value: step.value }
  if (step.do !== 'setText') return { do: step.do }
  if (step.mode === 'replace') return { do: 'setText', text: step.text }
  if (step.mode === 'insert') throw incapable(node, 'does not tell where its caret is')
  if (node.face.states.password === true) throw incapable(node, 'keeps its text to itself, so that nothing can be added to it')
  return { do: 'setText', text: `${node.face.value ?? ''}${step.text}` }
}
