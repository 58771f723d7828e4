import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Link } from '@deskhand/core/driver/wire'
import { DeskhandError } from '@deskhand/core/errors'
import { covers, type Rect } from '@deskhand/core/model'
import { FRONT } from '../../broker/protocol.ts'
import type { Changes, Move } from './changes.ts'
import { Framebuffer } from './framebuffer.ts'
import { Pace, type PictureStatus, type Thrift } from './pace.ts'
import { SharedFile } from './shared-file.ts'
import { encodeTight, type Encoded } from './tight.ts'

const START_MS = 15_000
const AGAIN_MS = 1_000
/** Encoded areas are kept for other viewers while nothing changes, so many times the screen in all: a client may ask for ever other ones. */
const MOST_SCREENS = 4

/** A viewer of the screen. */
export interface Viewer {
  readonly isReady: boolean
  /** What its picture is held to. */
  readonly thrift: Thrift
  changed(changes: Changes): void
  resized(): void
  ended(reason: string): void
}

interface Part {
  rect: Rect
  screen: Rect
  /** Empty where they are in the file of the update, from `at` on. */
  bytes: Uint8Array
  at: number
  masked: Rect[]
}

interface Update {
  parts: readonly Part[]
  file?: string
}

/**
 * The screen of one desktop for any number of viewers. The broker captures and masks once for all of them, only while one of them watches, and
 * only as often as the quickest of them takes it; each is sent what it has not seen, as it looks now.
 */
export class LiveScreen {
  readonly framebuffer = new Framebuffer()
  readonly pace: Pace
  readonly #link: Link
  readonly #viewers = new Set<Viewer>()
  readonly #shared = new SharedFile()
  #encodings = new Map<string, Promise<Encoded>>()
  /** Pixels of the areas in it. */
  #encoded = 0
  /** The first picture of this stretch of watching. */
  #first: Pending | undefined
  #wake: (() => void) | undefined
  #masked: readonly Rect[] = []

  constructor(stream: Duplex, pace = new Pace()) {
    this.pace = pace
    this.#link = new Link(stream, FRONT)
    this.#link.handle('update', (params) => this.#update(params as Update))
    this.#link.handle('ended', (params) => void this.#ended(DeskhandError.revive(params as { code: string; message: string })))
    void this.#link.closed.then(() => {
      this.#shared.close()
      this.#all((v) => v.ended('the desktop has ended'))
    })
  }

  get status(): PictureStatus {
    const { width, height } = this.framebuffer
    const readers = [...this.#viewers].map((v) => v.thrift)
    return { viewers: readers.length, width, height, ...this.pace.thrift, masked: this.#masked, readers }
  }

  /** Resolves when there is a picture to show; rejects when none comes, or when the viewer leaves before. */
  async join(viewer: Viewer): Promise<void> {
    this.#viewers.add(viewer)
    this.#first ??= this.#watch()
    try {
      await this.#first.promise
    } catch (thrown) {
      this.leave(viewer)
      throw thrown
    }
  }

  leave(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    this.#first?.fail(new DeskhandError('CANCELLED', 'every viewer left'))
    this.#first = undefined
    this.#wake?.()
    void this.#link.call('rest', {}).catch(() => {})
  }

  /** A viewer is ready for more. */
  wanted(): void {
    this.#wake?.()
  }

  /** An area as it looks now, in so many bits of each colour, for everyone who wants it. */
  encoded(area: Rect, bits: number): Promise<Encoded> {
    const key = `${area.x},${area.y},${area.w},${area.h},${bits}`
    const known = this.#encodings.get(key)
    if (known !== undefined) return known
    const { width, height } = this.framebuffer
    const pixels = area.w * area.h
    if (this.#encoded + pixels > MOST_SCREENS * width * height) this.#forget()
    this.#encoded += pixels
    const encoded = encodeTight(this.framebuffer, area, bits)
    this.#encodings.set(key, encoded)
    return encoded
  }

  #forget(): void {
    this.#encodings = new Map()
    this.#encoded = 0
  }

  async close(): Promise<void> {
    this.#all((v) => v.ended('the server ends'))
    await this.#link.close()
  }

  /** Has the broker begin to send; every viewer that waits for the first picture waits for the same. */
  #watch(): Pending {
    const first = pending()
    const timer = setTimeout(() => first.fail(new DeskhandError('TIMEOUT', 'no picture came')), START_MS).unref()
    first.promise.catch(() => {}).finally(() => clearTimeout(timer))
    this.#link.call('watch', {}, { deadlineMs: START_MS }).catch((thrown: unknown) => first.fail(DeskhandError.from(thrown)))
    return first
  }

  async #update({ parts, file }: Update): Promise<null> {
    const begun = performance.now()
    this.#forget()
    this.framebuffer.version++
    const [first] = parts
    if (first !== undefined && this.framebuffer.fit(first.screen)) this.#all((v) => v.resized())
    const [moves, areas]: [Move[], Rect[]] = [[], []]
    for (const { rect, bytes, at, masked } of parts) {
      const still = this.#masked.filter((known) => !covers(rect, known))
      this.#masked = [...still, ...masked.filter((area) => !still.some((known) => covers(known, area)))]
      const size = rect.w * rect.h * 4
      const changes = this.framebuffer.draw(rect, bytes.length > 0 || file === undefined ? bytes : this.#shared.read(file, at, size))
      moves.push(...changes.moves)
      areas.push(...changes.areas)
    }
    this.#all((v) => v.changed({ moves, areas }))
    this.#first?.done()
    await this.#someReady()
    await this.pace.rest(
      begun,
      parts.reduce((sum, { rect }) => sum + rect.w * rect.h, 0),
    )
    return null
  }

  async #someReady(): Promise<void> {
    while (this.#viewers.size > 0 && ![...this.#viewers].some((v) => v.isReady)) await new Promise<void>((done) => (this.#wake = done))
    this.#wake = undefined
  }

  /** The driver may have been started anew: once more; what the policy denies is told. */
  async #ended(error: DeskhandError): Promise<void> {
    this.#first?.fail(error)
    if (error.code === 'DENIED') return this.#all((v) => v.ended(error.message))
    await sleep(AGAIN_MS)
    if (this.#viewers.size > 0) await this.#link.call('watch', {}, { deadlineMs: START_MS }).catch(() => {})
  }

  #all(tell: (viewer: Viewer) => void): void {
    for (const viewer of [...this.#viewers]) tell(viewer)
  }
}

interface Pending {
  promise: Promise<void>
  done: () => void
  fail: (error: DeskhandError) => void
}

function pending(): Pending {
  let done = (): void => {}
  let fail: (error: DeskhandError) => void = () => {}
  const promise = new Promise<void>((yes, no) => {
    done = yes
    fail = no
  })
  return { promise, done, fail }
}
