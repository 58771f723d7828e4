import type { WindowsDesktop } from '../desktop.ts'
import type { MsaaMark, MsaaStep } from '../msaa/client.ts'
import { topOf, type WinNode } from '../node.ts'
import { user32 } from '../win32/api.ts'
import { inWords } from './pattern.ts'
import { incapable, type SemanticStep } from './semantic-step.ts'
import { activate } from './window.ts'

/** What an element is asked to do by MSAA. Says which method was called. */
export async function msaaStep(desk: WindowsDesktop, node: WinNode, element: MsaaMark, step: SemanticStep): Promise<string> {
  const { states, bounds } = node.face
  if ((step.do === 'expand' || step.do === 'collapse') && states.expanded === (step.do === 'expand')) return 'already'
  if (step.do === 'reveal' && bounds !== undefined) return 'already'
  const { hwnd } = topOf(node)
  if (step.do === 'focus' && user32.GetForegroundWindow() !== hwnd) await activate(hwnd)
  return inWords(node, () => desk.msaa.act(node.hwnd, element, asStep(node, step)))
}

function asStep(node: WinNode, step: SemanticStep): MsaaStep {
  const { states, value = '' } = node.face
  switch (step.do) {
    case 'press':
    case 'focus':
    case 'select':
      return { do: step.do }
    case 'expand':
    case 'collapse':
      // Unfolding is the default action of what can be unfolded.
      if (states.expanded === undefined) throw incapable(node, 'cannot be unfolded')
      return { do: 'press' }
    case 'setValue':
      return { do: 'setText', text: String(step.value) }
    case 'setText':
      if (step.mode === 'replace') return { do: 'setText', text: step.text }
      if (step.mode === 'insert') throw incapable(node, 'does not tell where its caret is')
      if (states.password === true) throw incapable(node, 'keeps its text to itself, so that nothing can be added to it')
      return { do: 'setText', text: `${value}${step.text}` }
    case 'reveal':
      throw incapable(node, 'cannot be brought into view')
    default:
      return step satisfies never
  }
}
