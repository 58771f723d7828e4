/** What the console uses of noVNC, whose published types are wrong. */
declare module '@novnc/novnc' {
  export default class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: WebSocket, options?: { credentials?: { password: string } })
    viewOnly: boolean
    scaleViewport: boolean
    resizeSession: boolean
    showDotCursor: boolean
    background: string
    disconnect(): void
    /** A key that goes down and up. */
    sendKey(keysym: number, code: string | null): void
    clipboardPasteFrom(text: string): void
    focus(options?: { preventScroll?: boolean }): void
    blur(): void
  }
}
