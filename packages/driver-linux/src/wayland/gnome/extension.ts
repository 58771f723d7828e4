/** By this name GNOME Shell knows our extension. */
export const EXTENSION = 'deskhand@deskhand'
/** Where the extension answers on the session bus. */
export const SHELL = { name: 'org.deskhand.Shell', path: '/org/deskhand/Shell', iface: 'org.deskhand.Shell' } as const

/** The first version of GNOME whose extensions are modules. */
const MODULES = 45
const LAST = 50

/** The files of the extension for a version of GNOME Shell; it answers only to programs of this executable. Version 43 alone was seen. */
export function extensionFor(version: number, executable: string): Record<string, string> {
  const isModule = version >= MODULES
  const versions = isModule ? range(MODULES, Math.max(LAST, version)) : range(Math.min(42, version), MODULES - 1)
  const metadata = {
    uuid: EXTENSION,
    name: 'Deskhand',
    description: 'Tells Deskhand where windows are, and types what no key gives. It sends no input and takes no pictures.',
    'shell-version': versions.map(String),
    version: 1,
  }
  const body = BODY.replace('EXECUTABLE', () => JSON.stringify(executable))
  return { 'metadata.json': `${JSON.stringify(metadata, undefined, 2)}\n`, 'extension.js': isModule ? asModule(body) : asScript(body) }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const asScript = (body: string): string => `const { Gio, GLib, Meta, St, Clutter } = imports.gi
const Main = imports.ui.main
const sources = () => imports.ui.status.keyboard.getInputSourceManager()
${body}
let service
function init() {}
function enable() { service = new Service() }
function disable() { service.end(); service = undefined }
`

const UI = 'resource:///org/gnome/shell/ui'
const use = (what: string, where: string): string => `import ${what} from '${where}'`

const asModule = (body: string): string => `${[
  ...['Gio', 'GLib', 'Meta', 'St', 'Clutter'].map((name) => use(name, `gi://${name}`)),
  use('* as Main', `${UI}/main.js`),
  use('{ getInputSourceManager }', `${UI}/status/keyboard.js`),
].join('\n')}
const sources = () => getInputSourceManager()
${body}
export default class {
  enable() { this.service = new Service() }
  disable() { this.service.end(); this.service = undefined }
}
`

/** What runs inside of GNOME Shell: it answers questions, and does nothing on its own. */
const BODY = `
const IFACE = '<node><interface name="${SHELL.iface}">' +
  '<method name="Ask"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>' +
  '<method name="Commit"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>' +
  '<method name="Copy"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>' +
  '<method name="Paste"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>' +
  '<signal name="Changed"/><signal name="Drawn"><arg type="s"/></signal></interface></node>'
const ALLOWED = EXECUTABLE
const DRAWN_MS = 16
const CHANGED_MS = 1
const BOTH = Meta.MaximizeFlags ? Meta.MaximizeFlags.BOTH : undefined
const kinds = (...names) => names.map((name) => Meta.WindowType[name])
const POPUPS = kinds('DROPDOWN_MENU', 'POPUP_MENU', 'COMBO', 'TOOLTIP')
const KINDS = [...kinds('NORMAL', 'DIALOG', 'MODAL_DIALOG', 'UTILITY', 'SPLASHSCREEN'), ...POPUPS]

const rect = (r) => ({ x: r.x, y: r.y, w: r.width, h: r.height })
const actors = () => global.get_window_actors().filter((a) => a.meta_window !== null && KINDS.includes(a.meta_window.get_window_type()))
const seat = () => Clutter.get_default_backend().get_default_seat()
// Windows lie elsewhere, or get no input, while the overview or a dialog of the shell is open.
const isCovered = () => Main.overview.visible || Main.modalCount > 0 || Main.screenShield?.locked === true
const isMaximized = (w) => (w.get_maximized ? w.get_maximized() === BOTH : w.is_maximized())
const describe = (w, layer) => ({
  id: String(w.get_id()),
  // The process of a window of X is what the window says; that of others is what their socket says.
  pid: w.get_client_type() === Meta.WindowClientType.X11 ? undefined : w.get_pid(),
  title: w.title ?? '',
  frame: rect(w.get_frame_rect()),
  buffer: rect(w.get_buffer_rect()),
  room: rect(w.get_work_area_current_monitor()),
  layer,
  isActive: w.has_focus(),
  isAway: w.minimized || isCovered() || !w.showing_on_its_workspace() || !w.located_on_workspace(global.workspace_manager.get_active_workspace()),
  isFull: w.is_fullscreen(),
  isPopup: POPUPS.includes(w.get_window_type()),
  isTip: w.get_window_type() === Meta.WindowType.TOOLTIP,
  isDialog: w.get_window_type() !== Meta.WindowType.NORMAL || w.get_transient_for() !== null,
  isModal: w.get_window_type() === Meta.WindowType.MODAL_DIALOG,
})
const state = () => {
  const [x, y] = global.get_pointer()
  const source = sources().currentSource
  return {
    pointer: { x, y },
    windows: actors().map((a, i) => describe(a.meta_window, i)),
    keyboard: source ? (source.type === 'xkb' ? source.id : source.type + ' ' + source.id) : 'us',
    capsLock: seat().get_keymap().get_caps_lock_state(),
    takesText: Main.inputMethod.currentFocus != null,
  }
}
const operations = {
  activate: (w) => { if (w.minimized) w.unminimize(); Main.overview.hide(); Main.activateWindow(w) },
  place: (w, to) => {
    if (w.is_fullscreen()) w.unmake_fullscreen()
    if (isMaximized(w)) w.unmaximize(BOTH)
    w.move_resize_frame(true, to.x, to.y, to.w, to.h)
  },
  minimize: (w) => w.minimize(),
  maximize: (w) => w.maximize(BOTH),
  restore: (w) => {
    if (w.minimized) w.unminimize()
    else { if (w.is_fullscreen()) w.unmake_fullscreen(); w.unmaximize(BOTH) }
    Main.activateWindow(w)
  },
  close: (w) => w.delete(global.get_current_time()),
}

class Service {
  constructor() {
    this.known = new Map()
    this.timers = new Map()
    this.drawn = new Map()
    this.hooks = []
    this.impl = Gio.DBusExportedObject.wrapJSObject(IFACE, this)
    this.impl.export(Gio.DBus.session, '${SHELL.path}')
    this.name = Gio.bus_own_name_on_connection(Gio.DBus.session, '${SHELL.name}', 0, null, null)
    const changed = () => this.soon('Changed', CHANGED_MS, () => this.impl.emit_signal('Changed', null))
    const hook = (on, signals, then) => { for (const s of signals) this.hooks.push([on, on.connect(s, then)]) }
    hook(global.display, ['window-created'], (_, w) => { this.follow(w); changed() })
    hook(global.display, ['restacked', 'notify::focus-window'], changed)
    hook(global.workspace_manager, ['active-workspace-changed'], changed)
    hook(Main.overview, ['showing', 'hidden'], changed)
    this.changed = changed
    for (const a of actors()) this.follow(a.meta_window)
  }

  follow(w) {
    const ids = ['position-changed', 'size-changed', 'notify::minimized', 'notify::title'].map((s) => w.connect(s, this.changed))
    const actor = w.get_compositor_private()
    const damaged = actor?.connect('damaged', () => {
      this.drawn.set(w, rect(w.get_frame_rect()))
      this.soon('Drawn', DRAWN_MS, () => {
        this.impl.emit_signal('Drawn', new GLib.Variant('(s)', [JSON.stringify([...this.drawn.values()])]))
        this.drawn.clear()
      })
    })
    this.known.set(w, () => { for (const id of ids) w.disconnect(id); if (damaged) actor.disconnect(damaged) })
    ids.push(w.connect('unmanaged', () => { this.known.delete(w); this.drawn.delete(w); this.changed() }))
  }

  soon(what, ms, then) {
    if (this.timers.has(what)) return
    this.timers.set(what, GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => { this.timers.delete(what); then(); return GLib.SOURCE_REMOVE }))
  }

  AskAsync([text], invocation) {
    this.answer(invocation, () => {
      const order = JSON.parse(text)
      const one = order.id && actors().find((a) => String(a.meta_window.get_id()) === order.id)
      if (one) operations[order.op](one.meta_window, order.rect)
      return JSON.stringify(state())
    })
  }

  CommitAsync([text], invocation) {
    this.answer(invocation, () => {
      if (Main.inputMethod.currentFocus == null) return 'no'
      Main.inputMethod.commit(text)
      return 'yes'
    })
  }

  CopyAsync([text], invocation) {
    this.answer(invocation, () => { St.Clipboard.get_default().set_text(St.ClipboardType.CLIPBOARD, text); return '' })
  }

  PasteAsync(_, invocation) {
    this.mayAsk(invocation, () => St.Clipboard.get_default().get_text(St.ClipboardType.CLIPBOARD, (_clipboard, text) => reply(invocation, text ?? '')))
  }

  answer(invocation, make) {
    this.mayAsk(invocation, () => {
      let text
      try { text = make() } catch (error) { return invocation.return_dbus_error('${SHELL.iface}.Failed', String(error)) }
      reply(invocation, text)
    })
  }

  mayAsk(invocation, then) {
    const bus = ['org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'GetConnectionUnixProcessID']
    const asked = new GLib.Variant('(s)', [invocation.get_sender()])
    Gio.DBus.session.call(...bus, asked, null, Gio.DBusCallFlags.NONE, -1, null, (connection, result) => {
      let program = ''
      try { program = GLib.file_read_link('/proc/' + connection.call_finish(result).deepUnpack()[0] + '/exe') } catch {}
      if (program === ALLOWED) return then()
      invocation.return_dbus_error('${SHELL.iface}.Refused', program + ' may not ask')
    })
  }

  end() {
    for (const [on, id] of this.hooks) on.disconnect(id)
    for (const id of this.timers.values()) GLib.source_remove(id)
    for (const forget of this.known.values()) forget()
    this.impl.unexport()
    Gio.bus_unown_name(this.name)
  }
}
const reply = (invocation, text) => invocation.return_value(new GLib.Variant('(s)', [text]))
`
