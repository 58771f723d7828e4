import { closeSync, constants, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { Socket, type SocketConstructorOpts } from 'node:net'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'

/** A stream of Node's own below `net`, which alone can pass open files along with bytes. */
interface Stream {
  onread: (data: ArrayBuffer | undefined) => void
  pendingHandle?: Stream | null
  open(fd: number): number
  connect(request: object, path: string): number
  readStart(): number
  writeBuffer(request: object, bytes: Uint8Array): number
  writeLatin1String(request: object, text: string, handle: Stream): number
  close(): void
}

interface Internals {
  Pipe: { new (type: number): Stream }
  PipeConnectWrap: { new (): { oncomplete: (status: number) => void } }
  WriteWrap: { new (): { oncomplete: (status: number) => void } }
  constants: { SOCKET: number; IPC: number }
  streamBaseState: Int32Array
  kReadBytesOrError: number
  kArrayBufferOffset: number
  kLastWriteWasAsync: number
}

/** Node has no public way to pass files over a socket but `child_process`, whose messages are its own; libuv's pipe below it has. */
function internals(): Internals {
  const { binding } = process as unknown as { binding: (name: string) => object }
  return { ...binding('pipe_wrap'), ...binding('stream_wrap') } as Internals
}

/** A connection to a Wayland socket that can pass files. Node aborts when it receives any but a pipe: bind nothing that sends others. */
export class FileSocket {
  /** Hears of pipes that were passed to us; they come before the bytes that they belong to. */
  onPipe: (pipe: Socket) => void = (pipe) => pipe.destroy()
  onData: (bytes: Buffer) => void = () => {}
  onClose: () => void = () => {}
  readonly #node: Internals
  readonly #stream: Stream
  #open = true

  static async connect(path: string): Promise<FileSocket> {
    const node = internals()
    const stream = new node.Pipe(node.constants.IPC)
    await new Promise<void>((done, fail) => {
      const refuse = (status: number): void => {
        stream.close()
        fail(new DeskhandError('NO_DESKTOP', `the socket ${path} cannot be reached (error ${status})`))
      }
      const request = new node.PipeConnectWrap()
      request.oncomplete = (status) => (status === 0 ? done() : refuse(status))
      const status = stream.connect(request, path)
      if (status !== 0) refuse(status)
    })
    return new FileSocket(node, stream)
  }

  private constructor(node: Internals, stream: Stream) {
    this.#node = node
    this.#stream = stream
    stream.onread = (data) => {
      const { pendingHandle } = stream
      stream.pendingHandle = null
      if (pendingHandle) this.onPipe(new Socket({ handle: pendingHandle, readable: false, writable: true } as SocketConstructorOpts))
      const count = node.streamBaseState[node.kReadBytesOrError] ?? 0
      if (count > 0 && data !== undefined) this.onData(Buffer.from(data, node.streamBaseState[node.kArrayBufferOffset], count))
      else if (count < 0) this.close()
    }
    stream.readStart()
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** `file` travels beside the bytes; the caller keeps and closes its own descriptor, or its own socket once the bytes have arrived. */
  send(bytes: Buffer, file?: number | Socket): void {
    if (!this.#open) return
    const { WriteWrap, streamBaseState, kLastWriteWasAsync } = this.#node
    const request = new WriteWrap()
    const copy = typeof file === 'number' ? this.#streamOf(file) : undefined
    const passed = file instanceof Socket ? (file as unknown as { _handle: Stream })._handle : copy
    request.oncomplete = (status) => {
      copy?.close()
      if (status !== 0) this.close()
    }
    const status =
      passed === undefined
        ? this.#stream.writeBuffer(request, bytes)
        : this.#stream.writeLatin1String(request, bytes.toString('latin1'), passed)
    // Node calls back only what it could not write at once.
    if (status !== 0 || streamBaseState[kLastWriteWasAsync] === 0) copy?.close()
    if (status !== 0) this.close()
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#stream.close()
    this.onClose()
  }

  /** libuv takes any file for a pipe and only hands it on. It closes what it is given, so it gets a descriptor of its own. */
  #streamOf(file: number): Stream {
    const { Pipe, constants: kinds } = this.#node
    const stream = new Pipe(kinds.SOCKET)
    const own = openSync(`/proc/self/fd/${file}`, 'r+')
    const status = stream.open(own)
    if (status === 0) return stream
    closeSync(own)
    throw new DeskhandError('INTERNAL', `a file cannot be passed to the compositor (error ${status})`)
  }
}

/** Memory to share with the compositor: a file without a name, which lives as long as a process has it open. */
export function sharedFile(folder: string, size: number, content?: Uint8Array): number {
  const path = join(folder, `deskhand-${randomUUID()}`)
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  unlinkSync(path)
  ftruncateSync(file, size)
  if (content !== undefined) writeSync(file, content, 0, content.length, 0)
  return file
}
