import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import type { WindowsDesktop } from '../desktop.ts'
import { topOf, type WinNode } from '../node.ts'
import { kernel32, user32 } from '../win32/api.ts'
import type { Handle } from '../win32/library.ts'
import { askWith, tell, wide, WM } from '../win32/message.ts'
import { mustBeInReach } from '../win32/rights.ts'
import { childrenOf, classOf, focusOf, ownerThread, styleOf } from '../win32/window.ts'
import { expandEntry, revealEntry, selectEntry, setDate, setNumber } from './contents.ts'
import { msaaStep } from './msaa.ts'
import { patternStep } from './pattern.ts'
import { sapStep } from './sap.ts'
import { incapable, type SemanticStep } from './semantic-step.ts'
import { activate } from './window.ts'

const BM_CLICK = 0xf5
const TB_CHECKBUTTON = 0x402
const EM = { SETSEL: 0xb1, REPLACESEL: 0xc2 }
const LB = { SETSEL: 0x185, SETCURSEL: 0x186, SETTOPINDEX: 0x197 }
const CB = { SETCURSEL: 0x14e, SHOWDROPDOWN: 0x14f }
const SELECTION_CHANGED = 1
const SEVERAL = 0x808
const FOCUS_MS = 600
const LOOK_MS = 15
const PRESSED: ReadonlySet<string> = new Set(['button', 'checkbox', 'radio', 'togglebutton'])

/** What an element is asked to do by itself, by messages to its control. Says which way was taken. */
export async function semanticStep(desk: WindowsDesktop, step: SemanticStep): Promise<string> {
  await desk.look()
  const node = desk.node(step.key)
  if (node === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  mustBeInReach(node.hwnd, topOf(node).face.name ?? '')
  if (desk.isSilent(topOf(node).hwnd)) throw new DeskhandError('APP_HUNG', `"${topOf(node).face.name}" does not answer`)
  if (step.do !== 'focus' && step.do !== 'reveal') mustBeEnabled(node)
  if (node.sap !== undefined) return sapStep(desk, node, step)
  if (node.msaa !== undefined) return msaaStep(desk, node, node.msaa, step)
  if (node.uia !== undefined) return patternStep(desk, node, step)
  switch (step.do) {
    case 'press':
      return press(node)
    case 'focus':
      return focus(desk, node)
    case 'expand':
    case 'collapse':
      return expand(node, step.do === 'expand')
    case 'select':
      return select(node)
    case 'reveal':
      return reveal(node)
    case 'setText':
      return setText(node, step.text, step.mode)
    case 'setValue':
      return setNumber(node, step.value) ?? fail(node, 'has no value that a message could set')
    default:
      return step satisfies never
  }
}

function mustBeEnabled({ face }: WinNode): void {
  if (face.states.enabled === false)
    throw new DeskhandError('NOT_ACTIONABLE', `the ${face.role} ${JSON.stringify(face.name ?? '')} is disabled`)
}

function press(node: WinNode): string {
  const { role } = node.face
  if (node.parent?.face.role === 'toolbar' && node.entry !== undefined) return pressTool(node, node.entry)
  if (PRESSED.has(role)) {
    // Posted: what it opens may be a dialog, and the message would not return before that is closed.
    user32.PostMessageW(node.hwnd, BM_CLICK, 0, 0)
    return 'BM_CLICK'
  }
  if (role.startsWith('menuitem') && node.entry !== undefined) {
    user32.PostMessageW(node.hwnd, WM.COMMAND, node.entry, 0)
    return 'WM_COMMAND'
  }
  if (node.entry !== undefined) return select(node)
  throw incapable(node, 'cannot be pressed by a message')
}

/** A toolbar has no message that presses a button of it as a person does, so each part of that is done. */
function pressTool({ hwnd, face }: WinNode, command: number): string {
  if (face.role === 'togglebutton') tell(hwnd, TB_CHECKBUTTON, command, face.states.checked === true ? 0 : 1)
  user32.PostMessageW(user32.GetAncestor(hwnd, 1), WM.COMMAND, command, hwnd)
  return 'WM_COMMAND'
}

async function focus(desk: WindowsDesktop, node: WinNode): Promise<string> {
  const { hwnd } = topOf(node)
  if (user32.GetForegroundWindow() !== hwnd) await activate(hwnd)
  const { thread } = ownerThread(node.hwnd)
  if (focusOf(thread) === node.hwnd) return 'already'
  const own = kernel32.GetCurrentThreadId()
  if (user32.AttachThreadInput(own, thread, 1) === 0) throw incapable(node, `does not take the focus (error ${kernel32.GetLastError()})`)
  try {
    user32.SetFocus(node.hwnd)
  } finally {
    user32.AttachThreadInput(own, thread, 0)
  }
  const patience = performance.now() + FOCUS_MS
  while (performance.now() < patience) {
    desk.refresh()
    if (desk.focus?.hwnd === node.hwnd) break
    await sleep(LOOK_MS)
  }
  return 'SetFocus'
}

function expand(node: WinNode, open: boolean): string {
  if (node.face.states.expanded === open) return 'already'
  if (node.face.role !== 'combobox') return expandEntry(node, open) ?? fail(node, 'cannot be unfolded by a message')
  tell(node.hwnd, CB.SHOWDROPDOWN, open ? 1 : 0)
  return 'CB_SHOWDROPDOWN'
}

function select(node: WinNode): string {
  const { hwnd, entry, parent } = node
  if (entry === undefined || parent === undefined) throw incapable(node, 'is no entry that could be selected')
  switch (parent.face.role) {
    case 'listbox': {
      const isSeveral = (styleOf(hwnd) & SEVERAL) !== 0
      if (isSeveral) tell(hwnd, LB.SETSEL, 1, entry)
      else tell(hwnd, LB.SETCURSEL, entry)
      notify(hwnd, SELECTION_CHANGED)
      return isSeveral ? 'LB_SETSEL' : 'LB_SETCURSEL'
    }
    case 'combobox':
      tell(hwnd, CB.SETCURSEL, entry)
      notify(hwnd, SELECTION_CHANGED)
      if (parent.face.states.expanded === true) tell(hwnd, CB.SHOWDROPDOWN, 0)
      return 'CB_SETCURSEL'
    default:
      return selectEntry(node) ?? fail(node, 'cannot be selected by a message')
  }
}

/** Tells the owner of a control what happened to it, as the control does when a person operates it. */
function notify(control: Handle, code: number): void {
  user32.PostMessageW(user32.GetAncestor(control, 1), WM.COMMAND, ((code << 16) | (user32.GetDlgCtrlID(control) & 0xffff)) >>> 0, control)
}

function reveal(node: WinNode): string {
  if (node.face.bounds !== undefined) return 'already'
  if (node.entry === undefined || node.parent?.face.role !== 'listbox')
    return revealEntry(node) ?? fail(node, 'cannot be brought into view by a message')
  tell(node.hwnd, LB.SETTOPINDEX, node.entry)
  return 'LB_SETTOPINDEX'
}

function setText(node: WinNode, text: string, mode: 'insert' | 'replace' | 'append'): string {
  const field = node.face.role === 'combobox' ? childrenOf(node.hwnd).find((h) => classOf(h) === 'Edit') : node.hwnd
  const date = setDate(node, text)
  if (date !== undefined) return date
  if (node.face.states.editable !== true || field === undefined) throw incapable(node, 'takes no text')
  if (mode === 'replace') tell(field, EM.SETSEL, 0, -1)
  else if (mode === 'append') tell(field, EM.SETSEL, 0x7fffffff, 0x7fffffff)
  else collapse(field)
  if (askWith(field, EM.REPLACESEL, 1, wide(text.replaceAll(/\r?\n/g, '\r\n'))) === undefined)
    throw new DeskhandError('APP_HUNG', 'the application does not answer')
  return 'EM_REPLACESEL'
}

const EM_GETSEL = 0xb0

/** What is inserted must not replace what is selected. */
function collapse(field: Handle): void {
  const end = (tell(field, EM_GETSEL) >>> 16) & 0xffff
  tell(field, EM.SETSEL, end, end)
}

function fail(node: WinNode, why: string): never {
  throw incapable(node, why)
}
