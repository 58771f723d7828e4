import { AxApplication, type AxElement } from './ax-double.ts'

/** The window of the contract suite, as an application of macOS would tell of it. */
export function axContractApp(): AxApplication {
  const app = new AxApplication()
  let count = 0
  let row = 0
  const window = app.add(undefined, { AXRole: 'AXWindow', AXSubrole: 'AXStandardWindow', AXTitle: 'Contract', ...place(0, 0, 600, 700) })
  const control = (role: string, more: object, settable: string[] = []): AxElement =>
    app.add(window, { AXRole: role, AXEnabled: true, AXFocused: false, ...place(20, 40 + 40 * row++, 300, 30), ...more }, settable)

  const bar = control('AXMenuBar', {})
  const file = app.add(bar, { AXRole: 'AXMenuBarItem', AXTitle: 'File', AXEnabled: true, ...place(20, 40, 60, 30) })
  const menu = app.add(file, { AXRole: 'AXMenu', AXTitle: 'File', ...place(20, 70, 120, 30) })
  const about = app.add(menu, { AXRole: 'AXMenuItem', AXTitle: 'About', AXEnabled: true, ...place(20, 70, 120, 30) })
  app.onAction(file, 'AXPress', () => {})
  app.onAction(about, 'AXPress', () => openDialog(app))

  const button = control('AXButton', { AXTitle: 'Press me' })
  const counter = control('AXStaticText', { AXValue: 'Count: 0' })
  app.onAction(button, 'AXPress', () => app.change(counter, { AXValue: `Count: ${++count}` }))
  const box = control('AXCheckBox', { AXTitle: 'Accept', AXValue: 0 })
  app.onAction(box, 'AXPress', () => app.change(box, { AXValue: app.attributes(box, ['AXValue'])['AXValue'] === 1 ? 0 : 1 }))
  const text = ['AXValue', 'AXFocused']
  control('AXTextField', { AXDescription: 'Name', AXValue: '' }, text)
  control('AXTextArea', { AXDescription: 'Notes', AXValue: '' }, text)
  control('AXTextField', { AXSubrole: 'AXSecureTextField', AXDescription: 'Password', AXValue: '' }, text)
  const disabled = control('AXButton', { AXTitle: 'Disabled', AXEnabled: false })
  app.onAction(disabled, 'AXPress', () => {})
  const list = control('AXList', { AXTitle: 'Colour', AXSize: { w: 300, h: 90 } })
  for (const [i, name] of ['Red', 'Green', 'Blue'].entries())
    app.add(
      list,
      { AXRole: 'AXRow', AXTitle: name, AXEnabled: true, AXSelected: i === 0, ...place(20, 40 + 40 * (row - 1) + 30 * i, 300, 30) },
      ['AXSelected'],
    )
  return app
}

function openDialog(app: AxApplication): void {
  const dialog = app.add(undefined, { AXRole: 'AXWindow', AXSubrole: 'AXDialog', AXTitle: 'About', ...place(650, 100, 300, 200) })
  const close = app.add(dialog, { AXRole: 'AXButton', AXTitle: 'Close', AXEnabled: true, ...place(700, 200, 100, 30) })
  app.onAction(close, 'AXPress', () => app.remove(dialog))
}

const place = (x: number, y: number, w: number, h: number): object => ({ AXPosition: { x, y }, AXSize: { w, h } })
