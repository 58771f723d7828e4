import type { Sent, Step } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { launchApp } from '../build.ts'
import type { Desktop } from '../desktop.ts'
import { setFocus } from '../focus.ts'
import { mustBeOperable, press } from '../input/activate.ts'
import { insert, moveCaret } from '../input/editing.ts'
import { isEnabled, isReadOnly, windowOf, type Element } from '../model/element.ts'
import type { UiFile } from '../model/ui-file.ts'
import { reveal } from '../scroll.ts'
import { cleanText, selectable, setState, stepOf } from '../values.ts'
import { activate, isClosable, windowOp } from '../windows.ts'
import { widgetOf } from '../widgets/index.ts'

type SemanticStep = Exclude<Step, { do: 'pointer' | 'keys' | 'text' }>
type Delivered = Omit<Sent, 'held'>

const sent = (via: string, units = 1): Delivered => ({ sent: 'all', units, via })

/** Steps that name an element instead of imitating a hand. */
export function semanticStep(desk: Desktop, ui: UiFile, step: SemanticStep): Delivered {
  switch (step.do) {
    case 'clipboard':
      desk.clipboard = step.text
      return sent('clipboard')
    case 'launch': {
      const windows = launchApp(desk, ui, step.app)
      if (!windows) {
        const known = Object.keys(ui.apps ?? {})
        const next = known.length === 0 ? undefined : `It has ${known.join(', ')}.`
        throw new DeskhandError('UNKNOWN_APP', `This simulated desktop has no application "${step.app}".`, { next })
      }
      return sent('launch')
    }
    case 'window':
      return window(desk, desk.need(step.key), step)
    case 'setText':
      return setText(desk, desk.need(step.key), step.text, step.mode)
    case 'setValue': {
      const el = desk.need(step.key)
      mustBeOperable(desk, el)
      const { setValue } = widgetOf(el)
      if (!setValue || el.role === 'progressbar') throw incapable(el, 'has no value to set')
      setValue(desk, el, step.value)
      return sent('action:setValue')
    }
    default:
      return gesture(desk, desk.need(step.key), step.action ?? step.do, step.do)
  }
}

type Gesture = 'press' | 'focus' | 'expand' | 'collapse' | 'select' | 'reveal'

function gesture(desk: Desktop, el: Element, action: string, kind: Gesture): Delivered {
  const inClosedList = el.parent?.kind === 'select' && !el.parent.expanded
  mustBeOperable(desk, inClosedList && el.parent && isEnabled(el) ? el.parent : el)
  const widget = widgetOf(el)
  const own = el.node?.actions ?? []
  if (kind === 'press' && action !== 'press' && !own.includes(action)) {
    throw incapable(el, `has no action "${action}"; it has ${own.length ? own.join(', ') : 'none'}`)
  }
  switch (action) {
    case 'focus':
      activate(desk, windowOf(el))
      if (!el.frame && !setFocus(desk, el)) throw incapable(el, 'takes no focus')
      break
    case 'reveal':
      reveal(desk, el)
      break
    case 'expand':
    case 'collapse':
      if (!widget.expand) throw incapable(el, `does not ${action}`)
      widget.expand(desk, el, action === 'expand')
      break
    case 'select':
      if (!widget.select) throw incapable(el, 'is not something to select')
      widget.select(desk, el)
      break
    case 'increment':
    case 'decrement':
      widget.setValue?.(desk, el, Number(el.value) + (action === 'increment' ? 1 : -1) * stepOf(el))
      break
    default:
      press(desk, el)
  }
  return sent(`action:${action}`)
}

function setText(desk: Desktop, el: Element, text: string, mode: 'insert' | 'replace' | 'append'): Delivered {
  mustBeOperable(desk, el)
  const via = 'action:setText'
  if (el.kind === 'select') {
    const option = selectable(el).find((o) => o.label === text)
    if (!option) throw incapable(el, `has no option "${text}"`)
    widgetOf(option).select?.(desk, option)
    return sent(via, text.length)
  }
  if (el.role === 'spinbutton' && text.trim() !== '' && Number.isFinite(Number(text))) {
    widgetOf(el).setValue?.(desk, el, Number(text))
    return sent(via, text.length)
  }
  const state = el.text
  if (!state || isReadOnly(el)) throw incapable(el, 'takes no text')
  const whole = mode === 'replace' ? text : mode === 'append' ? state.text + text : undefined
  if (whole !== undefined) setState(desk, el, whole)
  else {
    const room = cleanText(el, state.text.slice(0, state.caret) + text).slice(state.caret)
    insert(state, room)
  }
  if (mode === 'append') moveCaret(state, state.text.length, false)
  desk.touch(el)
  desk.emit(el, 'change')
  const kept = whole === undefined || state.text === whole
  return { sent: kept ? 'all' : 'partial', units: text.length, via }
}

function window(desk: Desktop, el: Element, step: Extract<Step, { do: 'window' }>): Delivered {
  const win = windowOf(el)
  if (step.op !== 'activate' && win.frame?.decorated === false) throw incapable(win, 'has no frame')
  if (step.op === 'close' && !isClosable(win)) throw incapable(win, 'cannot be closed')
  if (step.op === 'close') mustBeOperable(desk, win)
  windowOp(desk, win, step.op, step.rect)
  return sent(`window:${step.op}`)
}

function incapable(el: Element, why: string): DeskhandError {
  return new DeskhandError('NOT_CAPABLE', `The ${el.role} ${el.label ? `"${el.label}"` : el.id} ${why}.`)
}
