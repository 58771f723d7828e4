import { randomBytes } from 'node:crypto'
import { encodePng } from '../driver/index.ts'
import type { Frame } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import type { ActionOf, Result, TargetFacts } from '../model/index.ts'
import { generator } from '../selector/index.ts'
import type { LeaseQueue } from './act/lease.ts'
import type { Call } from './call.ts'
import { LOOKED, type Outcome } from './outcome.ts'
import type { Images } from './picture/images.ts'
import type { CodeEngine, CodeStage, Pause, Redactor, Touched } from './ports.ts'
import type { Screens } from './see/screens.ts'
import type { See } from './see/see.ts'

interface CodeNeeds {
  engine?: CodeEngine
  pause: Pause
  leases: LeaseQueue
  screens: Screens
  redactor: Redactor
  images: Images
  call(call: Call): Promise<Result>
  /** What a call would touch; nothing is decided or done. */
  touches(call: Call): Promise<Touched[]>
}

type Image = NonNullable<Outcome['images']>[number]

/** Runs code in an engine; every call that the code makes is a call of its own, by the same principal. */
export class CodeRunner {
  readonly #on: CodeNeeds

  constructor(needs: CodeNeeds) {
    this.#on = needs
  }

  async run(action: ActionOf<'code'>, call: Call, signal: AbortSignal): Promise<Outcome> {
    const { engine } = this.#on
    if (engine === undefined) throw new DeskhandError('NOT_CAPABLE', 'no engine for code is set up on this desktop')
    const parts = new Set<Result['sent']>()
    const stage = this.#stage(call, action.engine ?? 'code', signal, parts)
    const { pictures = [], ...ran } = await engine
      .run(action, stage)
      .catch((thrown: unknown) => ({ failure: DeskhandError.from(signal.aborted ? signal.reason : thrown), pictures: [] }))
    const sent = sentBy(parts, ran.failure !== undefined)
    return {
      ...LOOKED,
      ...ran,
      sent,
      ...(pictures.length > 0 && { images: await Promise.all(pictures.map((frame) => this.#image(frame))) }),
    }
  }

  /** A picture of raw pixels as the answer of a call; its id maps points in it back to the desktop. */
  async #image({ data, ...frame }: Frame): Promise<Image> {
    // A copy: words need their place in memory, which bytes from elsewhere may not have.
    const words = new Uint32Array(Uint8Array.from(data).buffer)
    const { width, height } = frame
    const png = await encodePng({ words, width, height, lowest: 'red' })
    const image = { ...frame, id: `i${randomBytes(6).toString('hex')}`, mimeType: 'image/png', data: png }
    this.#on.images.put(image)
    return image
  }

  /** `parts` takes what each of the calls sent. */
  #stage(call: Call, script: string, signal: AbortSignal, parts: Set<Result['sent']>): CodeStage {
    const { pause, leases, screens, redactor } = this.#on
    const { principal } = call
    return {
      signal,
      pause,
      hold: (work) =>
        leases.run(
          signal,
          (lease) =>
            work(
              async (tool, kind, args, line, dryRun) => {
                const part = await this.#on.call({ tool, kind, args, principal, origin: { script, line }, lease, signal, dryRun })
                parts.add(part.sent)
                return part
              },
              () => lease.rest(),
            ),
          true,
        ),
      progress: (note) => call.onProgress?.(redactor.value(note)),
      screens: () => screens.list(),
      touches: (kind, args) => this.#on.touches({ ...call, kind, args }),
    }
  }
}

/** What all the calls of a script sent; one that failed in the middle did not send all. */
function sentBy(parts: ReadonlySet<Result['sent']>, hasFailed: boolean): Result['sent'] {
  if (parts.has('unknown')) return 'unknown'
  if (!parts.has('all') && !parts.has('partial')) return 'none'
  return hasFailed || parts.has('partial') ? 'partial' : 'all'
}

/** The elements that a call would touch, each by a selector as far as the caller may know of it. */
export const touching =
  (see: See, touches: (call: Call) => Promise<readonly TargetFacts[]>): CodeNeeds['touches'] =>
  async (call) => {
    const targets = await touches(call)
    const seen = see(call.principal)
    const selectorOf = generator(seen)
    return targets.map(({ key, role, at, window }) => {
      const node = key === undefined ? undefined : seen.see(key)
      return { selector: node && selectorOf(node), role, at, window: window?.bounds }
    })
  }
