import { ComError } from '../com/com.ts'
import { Scripted } from '../com/dispatch.ts'
import { all, type SapElement, readComponent } from './component.ts'

/** A window of a session: its handle, and what is in it, parents first. */
export interface SapWindow {
  handle: number
  /** The session, as in `/app/con[0]/ses[0]`. */
  session: string
  elements: SapElement[]
}

export interface SapScreens {
  windows: SapWindow[]
  /** What keeps from reading, in words, with what to do about it. */
  gaps: string[]
}

export type SapStep =
  | { do: 'press' | 'focus' | 'expand' | 'collapse' }
  | { do: 'select'; entry?: string }
  | { do: 'setText'; text: string }
  | { do: 'vkey'; key: number }

const NAME = 'SAPGUI'
const OFF =
  'SAP GUI does not let itself be scripted. On this machine: SAP GUI options, Accessibility & Scripting, Scripting, "Enable scripting" (registry: SAP\\SAPGUI Front\\SAP Frontend Server\\Security, UserScripting = 1), and start SAP Logon again.'
const OFF_AT_SERVER =
  'the SAP server does not let this session be scripted: its administrator sets the profile parameter sapgui/user_scripting to TRUE.'
const WARNS = 'SAP GUI may be showing a question whether a script may attach'

/** SAP GUI by its scripting interface. Each call may block for as long as SAP waits for its server. */
export class SapClient {
  #application: Scripted | undefined

  read(): SapScreens {
    const screens: SapScreens = { windows: [], gaps: [] }
    let application: Scripted
    try {
      application = this.#attach()
      for (const connection of all(application)) {
        if (connection.maybe((c) => c.truth('DisabledByServer'), false)) screens.gaps.push(OFF_AT_SERVER)
        else for (const session of all(connection)) screens.windows.push(...windowsOf(session))
      }
    } catch (error) {
      if (!(error instanceof ComError)) throw error
      this.#application = undefined
      screens.gaps.push(`${OFF} ${WARNS}. (${error.message})`)
    }
    return screens
  }

  /** Has a component do something. Says which method was called. */
  act(session: string, id: string, step: SapStep): string {
    const component = this.#attach().child('FindById', session).child('FindById', id)
    switch (step.do) {
      case 'focus':
        component.get('SetFocus')
        return 'SetFocus'
      case 'press':
        return press(component)
      case 'select':
        return select(component, step.entry)
      case 'expand':
      case 'collapse':
        throw new ComError(step.do, 0x80004001)
      case 'setText':
        component.put('Text', step.text)
        return 'Text'
      case 'vkey':
        component.get('SendVKey', step.key)
        return `SendVKey ${step.key}`
      default:
        return step satisfies never
    }
  }

  #attach(): Scripted {
    this.#application ??= Scripted.running(NAME).child('GetScriptingEngine')
    return this.#application
  }
}

function windowsOf(session: Scripted): SapWindow[] {
  const id = session.text('Id')
  return all(session).map((window) => ({ handle: window.number('Handle'), session: id, elements: readComponent(window, id) }))
}

function press(component: Scripted): string {
  switch (component.text('Type')) {
    case 'GuiCheckBox':
      component.put('Selected', !component.truth('Selected'))
      return 'Selected'
    case 'GuiRadioButton':
    case 'GuiTab':
    case 'GuiMenu':
      component.get('Select')
      return 'Select'
    default:
      component.get('Press')
      return 'Press'
  }
}

/** A component, or one of its entries: the key of a drop-down list, the row of a grid, the key of a tree's node. */
function select(component: Scripted, entry: string | undefined): string {
  if (entry === undefined) {
    component.get('Select')
    return 'Select'
  }
  if (component.text('Type') === 'GuiComboBox') {
    component.put('Key', entry)
    return 'Key'
  }
  if (component.maybe((c) => c.text('SubType'), '') === 'Tree') {
    component.get('SelectNode', entry)
    return 'SelectNode'
  }
  component.put('SelectedRows', entry)
  return 'SelectedRows'
}
