import RFB from '@novnc/novnc'
import { useEffect, useRef, useState } from 'react'

export interface VNCViewerProps {
  /** The desktop at its server, such as `http://127.0.0.1:8423/api/v1/desktops/default`; the picture is at `/vnc` below it. */
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
}

/** Waits after a lost connection, in turn. */
const RETRY_MS = [500, 1_000, 2_000, 5_000]

/** The live picture of a desktop. It looks only, until it is operated, and connects again when the connection is lost. */
export function VNCViewer(props: VNCViewerProps) {
  const { sandboxUrl, isOperated = false, resizeSession = false, token } = props
  const place = useRef<HTMLDivElement>(null)
  const rfb = useRef<RFB>(undefined)
  const told = useRef(props)
  told.current = props
  const [isConnected, setConnected] = useState(false)
  const [problem, setProblem] = useState('')

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let sized: ResizeObserver | undefined
    let attempts = 0
    let isOver = false

    const connect = (): void => {
      const target = place.current
      if (isOver || target === null) return
      try {
        const made = new RFB(target, socketUrl(sandboxUrl), {
          credentials: { password: '' },
          wsProtocols: ['binary', ...(token === undefined ? (told.current.protocols ?? []) : [`deskhand.token.${token}`])],
        })
        made.viewOnly = !(told.current.isOperated ?? false)
        made.scaleViewport = true
        made.resizeSession = told.current.resizeSession ?? false
        made.background = 'transparent'
        made.addEventListener('connect', () => {
          attempts = 0
          setConnected(true)
          setProblem('')
          sized = watchSize(target, (size) => told.current.onSize?.(size))
          told.current.onConnect?.()
        })
        made.addEventListener('disconnect', (event) => {
          setConnected(false)
          sized?.disconnect()
          if (isOver) return
          const { clean } = (event as CustomEvent<{ clean: boolean }>).detail
          if (clean) told.current.onDisconnect?.()
          else setProblem('Connection lost')
          timer = setTimeout(connect, RETRY_MS[Math.min(attempts++, RETRY_MS.length - 1)])
        })
        rfb.current = made
      } catch (thrown) {
        setProblem(`Failed to connect: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
        timer = setTimeout(connect, RETRY_MS[Math.min(attempts++, RETRY_MS.length - 1)])
      }
    }

    connect()
    return () => {
      isOver = true
      clearTimeout(timer)
      sized?.disconnect()
      rfb.current?.disconnect()
      rfb.current = undefined
      told.current.onDisconnect?.()
    }
  }, [sandboxUrl, token])

  useEffect(() => {
    if (rfb.current === undefined) return
    rfb.current.viewOnly = !isOperated
    rfb.current.resizeSession = resizeSession
    if (isOperated) rfb.current.focus()
    else rfb.current.blur()
  }, [isOperated, resizeSession])

  return (
    <>
      <div ref={place} className="vnc" data-connected={isConnected} />
      <span className={isConnected ? 'vnc-note connected' : 'vnc-note'} role="status">
        {problem !== '' ? problem : isConnected ? 'Connected' : 'Disconnected'}
      </span>
    </>
  )
}

const socketUrl = (url: string): string => `${new URL(url, location.href).href.replace(/^http/, 'ws').replace(/\/$/, '')}/vnc`

/** noVNC's canvas has the size of the desktop; it is told again when that changes. */
function watchSize(target: HTMLElement, tell: (size: { width: number; height: number }) => void): ResizeObserver | undefined {
  const canvas = target.querySelector('canvas')
  if (canvas === null) return undefined
  const observer = new ResizeObserver(() => tell({ width: canvas.width, height: canvas.height }))
  observer.observe(canvas)
  return observer
}
