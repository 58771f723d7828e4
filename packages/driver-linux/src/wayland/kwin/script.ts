/** The interface on our side of the bus that the script calls. */
export const ANSWERS = 'org.deskhand.Windows'

/**
 * What runs inside of KWin, in its own engine for scripts (ECMAScript 7). It hangs on a call of ours that is answered with the next order,
 * and calls again with what came of it. When nobody answers any more it goes quiet; nothing of it acts on its own.
 * Versions 5 and 6 name things differently; 5 alone was seen.
 */
export const scriptFor = (busName: string): string => `
'use strict'
const isNew = workspace.windowList !== undefined
const MAXIMIZE_AREA = 2
const DRAWN_MS = 16
const MOST_UNHEARD = 50
let unheard = 0
const drawn = {}

const tell = (member, text, then) => callDBus('${busName}', '/', '${ANSWERS}', member, text, then)
const event = (member, text) => {
  if (unheard++ < MOST_UNHEARD) tell(member, text, () => (unheard = 0))
}
const rect = (r) => ({ x: r.x, y: r.y, w: r.width, h: r.height })
const all = () => (isNew ? workspace.windowList() : workspace.clientList()).filter((c) => !c.deleted)
const isHere = (c) => c.onAllDesktops || (isNew ? c.desktops.some((d) => d === workspace.currentDesktop) : c.desktop === workspace.currentDesktop)
const describe = (c) => ({
  id: String(c.internalId),
  // The process of a window of X is what the window says; that of others is what their socket says.
  pid: c.windowId ? undefined : c.pid,
  title: c.caption,
  frame: rect(c.frameGeometry),
  buffer: rect(c.bufferGeometry),
  room: rect(workspace.clientArea(MAXIMIZE_AREA, c)),
  layer: c.stackingOrder,
  isActive: c.active,
  isAway: c.minimized || c.hidden === true || !isHere(c),
  isFull: c.fullScreen,
  isPopup: c.popupWindow,
  isTip: c.tooltip || c.notification || c.onScreenDisplay,
  isDialog: c.dialog || c.transient,
  isModal: c.modal,
})
const state = () => JSON.stringify({ pointer: { x: workspace.cursorPos.x, y: workspace.cursorPos.y }, windows: all().map(describe) })
const activate = (c) => (isNew ? (workspace.activeWindow = c) : (workspace.activeClient = c))

const operations = {
  activate: (c) => { c.minimized = false; activate(c) },
  place: (c, to) => {
    c.fullScreen = false
    c.setMaximize(false, false)
    c.frameGeometry = { x: to.x, y: to.y, width: to.w, height: to.h }
  },
  minimize: (c) => { c.minimized = true },
  maximize: (c) => { c.setMaximize(true, true) },
  restore: (c) => {
    const wasAway = c.minimized
    c.minimized = false
    if (!wasAway) { c.fullScreen = false; c.setMaximize(false, false) }
    activate(c)
  },
  close: (c) => { c.closeWindow() },
}
const obey = (text) => {
  let answer = ''
  try {
    const order = text === '' ? {} : JSON.parse(text)
    const one = order.id && all().find((c) => String(c.internalId) === order.id)
    if (one) operations[order.op](one, order.rect)
    if (text !== '') answer = state()
  } catch (error) { answer = JSON.stringify({ error: String(error) }) }
  wait(answer)
}
const wait = (answer) => tell('Next', answer, obey)

const after = (ms, what) => {
  const timer = new QTimer()
  timer.singleShot = true
  timer.interval = ms
  timer.timeout.connect(what)
  return () => { if (!timer.active) timer.start() }
}
const changed = after(1, () => event('Changed', ''))
const drew = after(DRAWN_MS, () => {
  const areas = Object.keys(drawn).map((id) => drawn[id])
  for (const id of Object.keys(drawn)) delete drawn[id]
  event('Drawn', JSON.stringify(areas))
})
const follow = (c) => {
  for (const name of ['frameGeometryChanged', 'minimizedChanged', 'stackingOrderChanged', 'desktopChanged', 'desktopsChanged', 'captionChanged', 'windowHidden', 'windowShown'])
    if (c[name] !== undefined) c[name].connect(changed)
  if (c.damaged !== undefined) c.damaged.connect(() => { drawn[String(c.internalId)] = rect(c.frameGeometry); drew() })
  changed()
}
for (const c of all()) follow(c)
;(isNew ? workspace.windowAdded : workspace.clientAdded).connect(follow)
for (const s of isNew ? [workspace.windowRemoved, workspace.windowActivated] : [workspace.clientRemoved, workspace.clientActivated]) s.connect(changed)
for (const s of [workspace.currentDesktopChanged]) s.connect(changed)
wait('')
`
