// The process of calls that may block: COM calls into applications have no time limit, so the driver that started it ends it.
import type { SapStep } from '../sap/act.ts'
import { MsaaClient, type MsaaMark, type MsaaStep } from '../msaa/client.ts'
import { SapClient } from '../sap/client.ts'
import { UiaClient, type UiaStep } from '../uia/client.ts'
import { seePixels } from '../win32/screen.ts'
import { ComError, startCom } from './com.ts'

export type Ask =
  | { do: 'uia.read'; window: number; open: readonly number[] }
  | { do: 'uia.act'; window: number; element: string; step: UiaStep }
  | { do: 'msaa.read'; window: number; open: readonly number[] }
  | { do: 'msaa.act'; window: number; element: MsaaMark; step: MsaaStep }
  | { do: 'sap.read' }
  | { do: 'sap.act'; session: string; component: string; step: SapStep }

seePixels()
startCom()
let client: UiaClient | undefined
const sap = new SapClient()
const msaa = new MsaaClient()
const uia = (): UiaClient => (client ??= new UiaClient())

function answer(ask: Ask): unknown {
  switch (ask.do) {
    case 'uia.read':
      return uia().read(ask.window, ask.open)
    case 'uia.act':
      return uia().act(ask.window, ask.element, ask.step)
    case 'msaa.read':
      return msaa.read(ask.window, ask.open)
    case 'msaa.act':
      return msaa.act(ask.window, ask.element, ask.step)
    case 'sap.read':
      return sap.read()
    case 'sap.act':
      return sap.act(ask.session, ask.component, ask.step)
    default:
      return ask satisfies never
  }
}

process.on('message', ({ id, ask }: { id: number; ask: Ask }) => {
  try {
    process.send?.({ id, value: answer(ask) })
  } catch (error) {
    process.send?.({ id, error: String(error), ...(error instanceof ComError && { result: error.result }) })
  }
})
process.on('disconnect', () => process.exit(0))
// Tells that it takes questions.
process.send?.({ id: 0 })
