import type { KeyEvent } from '@deskhand/core/model'
import type { WindowsDesktop } from '../desktop.ts'
import { topOf, type WinNode } from '../node.ts'
import type { SapStep } from '../sap/act.ts'
import { inWords } from './pattern.ts'
import { incapable, type SemanticStep } from './semantic-step.ts'

/** What a component of SAP GUI is asked to do by its scripting interface. Says which method was called. */
export function sapStep(desk: WindowsDesktop, node: WinNode, step: SemanticStep): Promise<string> {
  return inWords(node, () => desk.sap.act(node, asStep(node, step)))
}

function asStep(node: WinNode, step: SemanticStep): SapStep {
  const { entry } = node.sap ?? {}
  const of = entry === undefined ? {} : { entry }
  switch (step.do) {
    case 'press':
    case 'focus':
    case 'select':
    case 'expand':
    case 'collapse':
      return { do: step.do, ...of }
    case 'setText':
      if (step.mode === 'insert') throw incapable(node, 'does not tell where its caret is')
      return { do: 'setText', text: step.mode === 'append' ? `${node.face.value ?? ''}${step.text}` : step.text, ...of }
    case 'reveal':
    case 'setValue':
      throw incapable(node, 'offers no way to do this')
    default:
      return step satisfies never
  }
}

/** What modifiers add to the number of a function key. */
const ADDED: Readonly<Record<string, number>> = { '': 0, Shift: 12, Control: 24, 'Control+Shift': 36 }

/** Sends a key that SAP has a number for to its active window by the scripting interface; undefined for others and elsewhere. */
export async function sendVKey(desk: WindowsDesktop, events: readonly KeyEvent[]): Promise<string | undefined> {
  const window = desk.activeWindow()
  if (window === undefined || topOf(window).sap === undefined) return undefined
  const key = vkeyOf(events)
  return key === undefined ? undefined : inWords(window, () => desk.sap.act(topOf(window), { do: 'vkey', key }))
}

/** The number of the one key that is pressed with its modifiers and let go of. */
function vkeyOf(events: readonly KeyEvent[]): number | undefined {
  const down = events.flatMap((event) => (event.type === 'down' ? [event.key] : []))
  const up = events.flatMap((event) => (event.type === 'up' ? [event.key] : []))
  const main = down.at(-1)
  if (main === undefined || up.length !== down.length) return undefined
  const modifiers = down.slice(0, -1).toSorted().join('+')
  if (main === 'Enter' && modifiers === '') return 0
  const number = Number(/^F([1-9]|1[0-2])$/.exec(main)?.[1] ?? Number.NaN)
  const added = ADDED[modifiers]
  return Number.isNaN(number) || added === undefined ? undefined : number + added
}
