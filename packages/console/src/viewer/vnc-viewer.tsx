import RFB from '@novnc/novnc'
import { useEffect, useRef, useState, type CSSProperties } from 'react'
import { TextField } from './text-field.ts'

export interface VNCViewerProps {
  /** The desktop at its server, such as `http://127.0.0.1:8423/desktops/virtual`; the picture is at `/vnc` below it. */
  sandboxUrl: string
  /** Kept for programs that name one: Deskhand shows the picture at the server's own port, over its WebSocket. */
  vncPort?: number
  onConnect?: () => void
  /** Only when the connection was ended, not when it was lost. */
  onDisconnect?: () => void
  /** Whether the person's pointer and keys go to the desktop. */
  isOperated?: boolean
  /** Asks a sandbox for the size of this element; for its operator only. */
  resizeSession?: boolean
  /** A viewer's token, for pages that another server shows. */
  token?: string
  /** What a page of the server itself offers beside its cookie, so that its person's input counts. */
  protocols?: readonly string[]
  /** The size of the desktop, whenever it is known anew. */
  onSize?: (size: { width: number; height: number }) => void
  /** The height of the picture's place; its width is that of the element around it. */
  height?: CSSProperties['height']
}

/** Waits after a lost connection, in turn. */
const RETRY_MS = [500, 1_000, 2_000, 5_000]
/** A WebSocket that ends with one of these was ended, by either side. */
const ENDED: ReadonlySet<number> = new Set([1000, 1001])

/** The live picture of a desktop. It looks only, until it is operated, and connects again when the connection is lost. */
export function VNCViewer(props: VNCViewerProps) {
  const { sandboxUrl, isOperated = false, resizeSession = false, token, height = '600px' } = props
  const place = useRef<HTMLDivElement>(null)
  const rfb = useRef<RFB>(undefined)
  const field = useRef<TextField>(undefined)
  const told = useRef(props)
  told.current = props
  const [isConnected, setConnected] = useState(false)
  const [problem, setProblem] = useState('')

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let sized: ResizeObserver | undefined
    let attempts = 0
    let isThere = false
    let isOver = false
    let shown: HTMLCanvasElement | null = null
    let last: HTMLElement | undefined
    const again = (words: string): void => {
      setProblem(words)
      timer = setTimeout(connect, RETRY_MS[Math.min(attempts++, RETRY_MS.length - 1)])
    }

    function connect(): void {
      const target = place.current
      if (isOver || target === null) return
      try {
        const url = socketUrl(sandboxUrl)
        const socket = new WebSocket(url, [
          'binary',
          ...(token === undefined ? (told.current.protocols ?? []) : [`deskhand.token.${token}`]),
        ])
        // noVNC calls a connection that broke off a clean end, so that the code of the socket decides.
        let code = 0
        socket.addEventListener('close', (event) => (code = event.code))
        const made = new RFB(target, socket, { credentials: { password: '' } })
        made.viewOnly = !(told.current.isOperated ?? false)
        made.scaleViewport = true
        made.resizeSession = told.current.resizeSession ?? false
        made.background = 'transparent'
        made.addEventListener('connect', () => {
          attempts = 0
          isThere = true
          setConnected(true)
          setProblem('')
          last?.remove()
          shown = target.querySelector('canvas')
          if (shown !== null) field.current = new TextField(shown, made)
          sized = watchSize(target, (size) => told.current.onSize?.(size))
          told.current.onConnect?.()
        })
        made.addEventListener('clipboard', (event) => {
          // Only what the operator's configuration lets out of the desktop comes; the browser asks its person.
          const { text } = (event as CustomEvent<{ text: string }>).detail
          navigator.clipboard?.writeText(text).catch(() => {})
        })
        made.addEventListener('disconnect', (event) => {
          const wasThere = isThere
          isThere = false
          setConnected(false)
          sized?.disconnect()
          field.current?.remove()
          if (isOver) return
          if (shown !== null) last = asLast(target, shown)
          shown = null
          const { clean } = (event as CustomEvent<{ clean: boolean }>).detail
          if (!wasThere) return again(`Failed to connect: no picture at ${url}`)
          if (!clean || !ENDED.has(code)) return again('Connection lost')
          told.current.onDisconnect?.()
          again('')
        })
        rfb.current = made
      } catch (thrown) {
        again(`Failed to connect: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      }
    }

    connect()
    return () => {
      isOver = true
      clearTimeout(timer)
      sized?.disconnect()
      last?.remove()
      rfb.current?.disconnect()
      rfb.current = undefined
      if (isThere) told.current.onDisconnect?.()
    }
  }, [sandboxUrl, token])

  useEffect(() => {
    if (rfb.current === undefined) return
    rfb.current.viewOnly = !isOperated
    rfb.current.resizeSession = resizeSession
    if (isOperated) rfb.current.focus()
    else field.current?.blur()
  }, [isOperated, resizeSession, isConnected])

  return (
    <div className="vnc-viewer" data-connected={isConnected}>
      <div className="vnc-status" role="status">
        <span
          className={`vnc-indicator ${isConnected ? 'connected' : 'disconnected'}`}
          style={{ ...DOT, background: isConnected ? '#1a9c62' : '#8b96a5' }}
        />
        <span>{isConnected ? 'Connected' : 'Disconnected'}</span>
      </div>
      {problem !== '' && (
        <div className="vnc-error" role="alert">
          {problem}
        </div>
      )}
      <div ref={place} className="vnc-canvas" style={{ position: 'relative', width: '100%', height }} />
    </div>
  )
}

/** It is seen in programs that bring no styles for it. */
const DOT: CSSProperties = { display: 'inline-block', width: 9, height: 9, borderRadius: '50%', marginRight: 6 }

/** The last picture stays, faded, until there is another. */
function asLast(target: HTMLElement, canvas: HTMLCanvasElement): HTMLElement {
  const last = document.createElement('div')
  last.className = 'vnc-last'
  last.style.cssText = 'position: absolute; inset: 0; opacity: 0.4; pointer-events: none'
  canvas.style.cssText = 'width: 100%; height: 100%; object-fit: contain'
  last.append(canvas)
  target.append(last)
  return last
}

const socketUrl = (url: string): string => `${new URL(url, location.href).href.replace(/^http/, 'ws').replace(/\/$/, '')}/vnc`

/** noVNC's canvas has the size of the desktop, however large it is shown; it is told again when that changes. */
function watchSize(target: HTMLElement, tell: (size: { width: number; height: number }) => void): ResizeObserver | undefined {
  const canvas = target.querySelector('canvas')
  if (canvas === null) return undefined
  let known = ''
  const observer = new ResizeObserver(() => {
    const { width, height } = canvas
    if (known === `${width}x${height}`) return
    known = `${width}x${height}`
    tell({ width, height })
  })
  observer.observe(canvas)
  return observer
}
