import { ComError } from '../com/com.ts'
import { Scripted } from '../com/dispatch.ts'
import { actOn, type SapStep } from './act.ts'
import { readComponent } from './component.ts'
import type { SapElement } from './element.ts'
import { all, componentOf } from './told.ts'

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
    return actOn(this.#attach().child('FindById', session).child('FindById', id), step)
  }

  #attach(): Scripted {
    this.#application ??= Scripted.running(NAME).child('GetScriptingEngine')
    return this.#application
  }
}

function windowsOf(session: Scripted): SapWindow[] {
  const id = session.text('Id')
  return all(session).map((window) => ({
    handle: window.number('Handle'),
    session: id,
    elements: readComponent(componentOf(window, session), id),
  }))
}
