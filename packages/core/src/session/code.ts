import { DeskhandError } from '../errors.ts'
import type { ActionKind, ActionOf, Result, TargetFacts } from '../model/index.ts'
import { generator } from '../selector/index.ts'
import type { LeaseQueue } from './act/lease.ts'
import type { Call } from './call.ts'
import { LOOKED, type Outcome } from './outcome.ts'
import type { CodeEngine, CodeStage, Pause, Redactor, Touched } from './ports.ts'
import type { Screens } from './see/screens.ts'
import type { See } from './see/see.ts'

interface CodeNeeds {
  engine?: CodeEngine
  pause: Pause
  leases: LeaseQueue
  screens: Screens
  see: See
  redactor: Redactor
  call(call: Call): Promise<Result>
  /** What a call would touch; nothing is decided or done. */
  touches(call: Call): Promise<readonly TargetFacts[]>
}

/** Runs code in an engine; every call that the code makes is a call of its own, by the same principal. */
export class CodeRunner {
  readonly #on: CodeNeeds

  constructor(needs: CodeNeeds) {
    this.#on = needs
  }

  async run(action: ActionOf<'code'>, call: Call, signal: AbortSignal): Promise<Outcome> {
    const { engine } = this.#on
    if (engine === undefined) throw new DeskhandError('NOT_CAPABLE', 'no engine for code is set up on this desktop')
    return { ...LOOKED, ...(await engine.run(action, this.#stage(call, action.engine ?? 'code', signal))) }
  }

  #stage(call: Call, script: string, signal: AbortSignal): CodeStage {
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
              (tool, kind, args, line, dryRun) =>
                this.#on.call({ tool, kind, args, principal, origin: { script, line }, lease, signal, dryRun }),
              () => lease.rest(),
            ),
          true,
        ),
      progress: (note) => call.onProgress?.(redactor.value(note)),
      screens: () => screens.list(),
      touches: (kind, args) => this.#touched({ ...call, kind, args }),
    }
  }

  async #touched(call: Call & { kind: ActionKind }): Promise<Touched[]> {
    const targets = await this.#on.touches(call)
    const seen = this.#on.see(call.principal)
    const selectorOf = generator(seen)
    return targets.map(({ key, role, at, window }) => {
      const node = key === undefined ? undefined : seen.see(key)
      return { selector: node && selectorOf(node), role, at, window: window?.bounds }
    })
  }
}
