import type { ActivityLog, Cap, CapName, Pixels } from '@deskhand/core/driver'
import type { Button, Point, PointerEvent, Rect, Screen, WindowOp } from '@deskhand/core/model'

/** Variables of the desktop's environment. */
export type Env = Readonly<Record<string, string | undefined>>

/**
 * All that the driver uses of a display server. `x11/` and `wayland/` each have one; nothing else knows which of them runs. A device
 * that is absent has its reason in `gaps`.
 */
export interface DisplayServer {
  readonly isOpen: boolean
  /** Applications do not know where their windows are; what they tell as places on the screen counts from there. */
  readonly isLocal: boolean
  /** What this server cannot do, with the reason. */
  readonly gaps: Readonly<Partial<Record<CapName, Cap>>>
  readonly activity: ActivityLog
  /** Absent where it does not tell which events other programs inject. Keeps them from the desktop from then on; false where it cannot. */
  readonly swallowInjected?: () => Promise<boolean>
  readonly input?: Input
  readonly windows?: Windows
  readonly clipboard?: Clipboard
  /** An area of the screen, or all of it. */
  readonly grab?: Grab
  screens(): Promise<Screen[]>
  /** Refuses to press, release or turn the wheel where no screen is. */
  mustReach(events: readonly PointerEvent[]): Promise<void>
  /** Where the pointer is. */
  pointer(): Promise<Point>
  /** Everything sent so far has been done, and what happened before is told, when this returns. */
  sync(): Promise<void>
  /** Waits until the application of a window has taken in what was sent; false when it does not within the time. */
  takenIn(window: number, ms: number): Promise<boolean>
  /** From now on the screen is watched, and a person's input counted in `activity`. */
  watch(listener: ScreenListener): Promise<void>
  close(): void
}

export interface ScreenListener {
  drawn(area: Rect): void
  screensChanged(): void
  /** What the display server cannot do is different from now on. */
  gapsChanged(): void
}

/** Memory for so many pixels. */
export type Allocate = (pixels: number) => Uint32Array<ArrayBuffer>

export type Grab = (area?: Rect, allocate?: Allocate) => Promise<Pixels>

/** The text that applications share. */
export interface Clipboard {
  write(text: string): Promise<void>
  /** Empty when it holds none. */
  read(): Promise<string>
}

/** Pointer and keyboard. Remembers what it pressed. */
export interface Input {
  readonly keymap: Keymap
  /** Where the pointer was last sent. */
  readonly at: Point | undefined
  readonly isPressing: boolean
  /** When a button was last pressed. */
  readonly pressedAt: number
  /** The character or shortcut that was struck last, and when. */
  struck: { symbol: number; at: number } | undefined
  /** Waits until the application with the keyboard has taken in what was sent. */
  caughtUp: () => Promise<boolean>
  /** Keys and buttons that are down because of us. */
  held(): string[]
  move(x: number, y: number): void
  /** `mayBeHeld`: the window manager may look at it before the application does. */
  press(button: Button, mayBeHeld: boolean): void
  release(button: Button): void
  /** Whole notches; positive is right and down. */
  wheel(dx: number, dy: number): void
  keyDown(key: string): Promise<void>
  keyUp(key: string): Promise<void>
  tap(key: string): Promise<void>
  /** Strikes one character and returns when it is sent; what it gives tells when the server has delivered it. */
  strike(symbol: number): Promise<{ delivered: Promise<void> }>
  /** The modifiers that are down, a person's too, and whether capitals are locked. */
  modifiers(): Promise<{ down: string[]; capsLock: boolean }>
  /** Returns when no click is held back any more. */
  clicked(): Promise<void>
  /** Returns when the server has delivered everything that was sent. */
  delivered(): Promise<void>
  /** The same, for events that no caller waits for. */
  deliverLater(): void
  /** Lets go of everything that is down because of us. */
  releaseAll(): Promise<void>
}

/** Which key gives which symbol, and spare keys for those that no key gives. */
export interface Keymap {
  /** Reads the layout as it is now. */
  load(): Promise<void>
  /** How many of these symbols, from the first on, can be struck without changing a spare key twice. */
  reach(symbols: readonly number[]): number
  /** Puts symbols on spare keys; `caughtUp` is awaited before a key that was struck is changed. False where it was not changed. */
  borrow(symbols: readonly number[], caughtUp: () => Promise<boolean>): Promise<boolean>
  /** Gives the spare keys back. */
  restore(): void
}

/** What is known of one window, wherever it lies in the stack. */
export interface WindowInfo {
  id: number
  /** The process that made it, as the server knows it; a window can lie, the server's socket cannot. */
  pid: number | undefined
  title: string
  /** The contents, without the window manager's frame. */
  bounds: Rect
  /** With the frame. */
  outer: Rect
  isMinimized: boolean
  isMaximized: boolean
  /** It says that it asks something of another window, and that this one waits for the answer. */
  isDialog: boolean
  isModal: boolean
  /** The child of the root window that it lies in: the window manager's frame, or itself. */
  frame: number | undefined
}

export interface TopWindow extends WindowInfo {
  isActive: boolean
  /** Bottom first. */
  z: number
}

/** A window on the screen that the window manager does not manage: a menu, a list, a tooltip. */
export interface Popup {
  id: number
  pid: number
  bounds: Rect
  /** It says that it only tells something and takes no input. */
  isTip: boolean
  /** It is the picture of what is being dragged, which follows the pointer and gets nothing. */
  isDragged: boolean
}

/** The top-level windows, as the window manager knows them. */
export interface Windows {
  /** A window came, went or moved, or another one is active; or only a title changed. */
  onChange: (what: 'place' | 'title') => void
  /** Grows when a window came, went, moved or changed its place in the stack. */
  readonly version: number
  /** Whether it tells of windows that the window manager does not manage. Where it does not, only applications know their menus. */
  readonly tellsPopups: boolean
  /** Where not every change is told: looks, and tells by `onChange` whether anything is different. */
  look?(): Promise<void>
  /** Every managed window, the topmost last, as it is when this is called. */
  list(): Promise<TopWindow[]>
  active(): Promise<number | undefined>
  /** Whether a point is one that the pointer can reach. */
  reaches(at: Point): boolean
  /** The windows that lie under a point, from the outermost down to the one that is looked for, or the innermost. */
  chainAt(at: Point, isSought: (id: number) => boolean): Promise<number[]>
  /** Calls `send` where the pointer is at this point and these windows lie there, or none where the list is empty; false where that is not so. */
  sendTo(at: Point, chain: readonly number[], send: () => void): Promise<boolean>
  /** Whether another client gets every key, wherever the focus is; absent where none can. The server does not tell whose grab it is. */
  isKeyboardGrabbed?(): Promise<boolean>
  /** Windows on the screen that the window manager does not manage, the topmost last. */
  popups(): Promise<Popup[]>
  pidOf(window: number): Promise<number | undefined>
  /** Asks the window manager; it answers by doing it. */
  operate(id: number, op: WindowOp, rect: Partial<Rect>): Promise<void>
}
