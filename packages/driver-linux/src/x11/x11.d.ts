/** What of the `x11` package is used here; it comes without types. */
declare module 'x11' {
  import type { Socket } from 'node:net'

  export type Reply<T> = (error: Error | null | undefined, value: T) => boolean | void

  export interface XEvent {
    name: string
    type: number
    wid?: number
    rawData: Buffer
    [field: string]: unknown
  }

  export interface XClient {
    stream: Socket
    seq_num: number
    pack_stream: { put(request: Buffer): void; submit(expectsReply: boolean): void }
    replies: Record<number, [parse: (body: Buffer) => unknown, reply: Reply<never>]>
    atoms: Record<string, number>
    atom_names: Record<number, string>
    on(event: 'event', listener: (event: XEvent) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'end', listener: () => void): this
    AllocID(): number
    flush(): void
    terminate(): void
    require(name: 'xtest', reply: Reply<XTest>): void
    require(name: 'shm', reply: Reply<Shm>): void
    require(name: 'randr', reply: Reply<RandR>): void
    require(name: 'damage', reply: Reply<Damage>): void
    require(name: 'fixes', reply: Reply<Fixes>): void
    require(name: 'xinput', reply: Reply<XInput>): void
    require(name: 'res', reply: Reply<Res>): void
    require(name: 'xkb', reply: Reply<Xkb>): void
    require(name: 'shape', reply: Reply<Shape>): void
    GrabServer(): void
    GrabKeyboard(window: number, ownerEvents: 0 | 1, time: number, pointerMode: 0 | 1, keyboardMode: 0 | 1, reply: Reply<number>): void
    UngrabServer(): void
    InternAtom(onlyIfExists: boolean, name: string, reply: Reply<number>): void
    GetAtomName(atom: number, reply: Reply<string>): void
    GetInputFocus(reply: Reply<{ focus: number; revertTo: number }>): void
    SetInputFocus(window: number, revertTo: number): void
    QueryTree(window: number, reply: Reply<{ root: number; parent: number; children: number[] }>): void
    QueryPointer(window: number, reply: Reply<{ rootX: number; rootY: number; child: number; keyMask: number }>): void
    QueryKeymap(reply: Reply<Buffer>): void
    GetKeyboardMapping(first: number, count: number, reply: Reply<number[][]>): void
    ChangeKeyboardMapping(first: number, perKeycode: number, keysyms: number[]): void
    ChangeKeyboardControl(values: { key: number; autoRepeatMode: 0 | 1 }): void
    GetKeyboardControl(reply: Reply<{ autoRepeats: Buffer }>): void
    GetModifierMapping(reply: Reply<number[][]>): void
    GetGeometry(drawable: number, reply: Reply<Geometry>): void
    GetWindowAttributes(window: number, reply: Reply<{ klass: number; mapState: number; overrideRedirect: number }>): void
    TranslateCoordinates(
      from: number,
      to: number,
      x: number,
      y: number,
      reply: Reply<{ child: number; destX: number; destY: number }>,
    ): void
    GetProperty(remove: number, window: number, name: number, type: number, offset: number, length: number, reply: Reply<Property>): void
    ChangeProperty(mode: number, window: number, name: number, type: number, format: 8 | 16 | 32, data: Buffer | number[]): void
    DeleteProperty(window: number, name: number): void
    GetImage(
      format: number,
      drawable: number,
      x: number,
      y: number,
      w: number,
      h: number,
      planes: number,
      reply: Reply<{ depth: number; data: Buffer }>,
    ): void
    CreateWindow(
      id: number,
      parent: number,
      x: number,
      y: number,
      w: number,
      h: number,
      border: number,
      depth: number,
      cls: number,
      visual: number,
      values: object,
    ): void
    DestroyWindow(window: number): void
    MapWindow(window: number): void
    UnmapWindow(window: number): void
    ClearArea(window: number, x: number, y: number, w: number, h: number, exposures: 0 | 1): void
    ChangeWindowAttributes(window: number, values: { eventMask: number } | { backgroundPixel: number }, reply?: Reply<void>): void
    ConfigureWindow(window: number, values: object): void
    SetSelectionOwner(owner: number, selection: number, time: number): void
    GetSelectionOwner(selection: number, reply: Reply<number>): void
    ConvertSelection(requestor: number, selection: number, target: number, property: number, time: number): void
    SendEvent(destination: number, propagate: boolean, mask: number, event: Buffer): void
  }

  export interface Geometry {
    depth: number
    xPos: number
    yPos: number
    width: number
    height: number
    borderWidth: number
  }

  export interface Property {
    type: number
    format: number
    bytesAfter: number
    data: Buffer
  }

  export interface XTest {
    FakeInput(type: number, detail: number, time: number, window: number, x: number, y: number): void
  }

  export interface Shm {
    AttachFd(id: number, file: number, readOnly: boolean, reply: Reply<unknown>): void
    Detach(id: number): void
    GetImage(
      drawable: number,
      x: number,
      y: number,
      w: number,
      h: number,
      planes: number,
      format: number,
      id: number,
      offset: number,
      reply: Reply<unknown>,
    ): void
  }

  export interface RandR {
    majorOpcode: number
    SelectInput(window: number, mask: number): void
    GetScreenSizeRange(window: number, reply: Reply<{ maxWidth: number; maxHeight: number }>): void
    GetScreenResources(window: number, reply: Reply<ScreenResources>): void
    GetCrtcInfo(crtc: number, time: number, reply: Reply<CrtcInfo>): void
    SetScreenSize(window: number, width: number, height: number, widthMm: number, heightMm: number): void
    CreateMode(window: number, mode: object, reply: Reply<number>): void
    AddOutputMode(output: number, mode: number): void
    SetCrtcConfig(
      crtc: number,
      time: number,
      configTime: number,
      x: number,
      y: number,
      mode: number,
      rotation: number,
      outputs: number[],
      reply: Reply<{ status: number }>,
    ): void
  }

  export interface ScreenResources {
    config_timestamp: number
    crtcs: number[]
    outputs: number[]
    modeinfos: { id: number; width: number; height: number }[]
  }

  export interface CrtcInfo {
    mode: number
  }

  export interface Shape {
    Op: { Set: number }
    Kind: { Bounding: number; Clip: number; Input: number }
    Rectangles(op: number, kind: number, window: number, x: number, y: number, rectangles: number[][]): void
  }

  export interface Damage {
    ReportLevel: { RawRectangles: number; DeltaRectangles: number; BoundingBox: number; NonEmpty: number }
    Create(damage: number, drawable: number, level: number): void
    Destroy(damage: number): void
    Subtract(damage: number, repair: number, parts: number): void
  }

  export interface CursorImage {
    x: number
    y: number
    width: number
    height: number
    xhot: number
    yhot: number
  }

  export interface Fixes {
    GetCursorImage(reply: Reply<CursorImage>): void
    CreateRegion(region: number, rects: unknown[]): void
    FetchRegion(region: number, reply: Reply<unknown>): void
    SelectSelectionInput(window: number, selection: number, mask: number): void
  }

  export interface XInput {
    majorOpcode: number
    XIQueryVersion(major: number, minor: number, reply: Reply<{ majorVersion: number; minorVersion: number }>): void
    XIQueryDevice(device: number, reply: Reply<{ deviceId: number; name: string }[]>): void
    XISelectEvents(window: number, masks: { deviceId: number; mask: string[] }[]): void
  }

  export interface Res {
    QueryClientIds(specs: { client: number; mask: number }[], reply: Reply<{ client: number; mask: number; value: number[] }[]>): void
  }

  export interface Xkb {
    UseCoreKbd: number
    UseExtension(major: number, minor: number, reply: Reply<unknown>): void
    GetState(device: number, reply: Reply<{ group: number; mods: number; lockedMods: number }>): void
  }

  export interface Screen {
    root: number
    root_depth: number
    root_visual: number
    pixel_width: number
    pixel_height: number
    mm_width: number
    mm_height: number
  }

  export interface XDisplay {
    client: XClient
    screen: Screen[]
    min_keycode: number
    max_keycode: number
    image_byte_order: number
  }

  export function createClient(options: object, ready: (error: Error | undefined, display: XDisplay) => void): XClient

  const x11: { createClient: typeof createClient }
  export default x11
}
