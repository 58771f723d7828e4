import { DeskhandError } from '../errors.ts'
import { TRAITS, type Action, type ActionOf, type Decision, type Principal } from '../model/index.ts'
import type { Call } from './call.ts'
import type { CodeRunner } from './code.ts'
import type { Decider } from './decide/decide.ts'
import { LOOKED, type Outcome } from './outcome.ts'
import type { Capture } from './picture/capture.ts'
import { windowOf } from './see/live-tree.ts'
import type { Queries } from './see/queries.ts'
import type { Screens } from './see/screens.ts'
import type { Resolved } from './see/targets.ts'
import type { Decided } from './record.ts'
import type { Scene } from './verify/scene.ts'
import { untilHolds } from './verify/wait.ts'

interface ReaderNeeds {
  queries: Queries
  capture: Capture
  decider: Decider
  code: CodeRunner
  screens: Screens
  clipboard(signal: AbortSignal): Promise<string>
  capabilities(): Promise<Outcome>
  scene: Scene
}

/** Carries out actions that send no input: looks, and code, whose calls are calls of their own. */
export class Reader {
  readonly #on: ReaderNeeds

  constructor(needs: ReaderNeeds) {
    this.#on = needs
  }

  async read({ action, call, decision, targets }: Decided, signal: AbortSignal): Promise<Outcome> {
    const { queries, code, screens, clipboard, scene } = this.#on
    const { principal: who } = call
    // A person may have been asked meanwhile: what is hidden now counts, not what was then.
    if (looksAtTree(action)) await queries.sync()
    switch (action.do) {
      case 'capabilities':
        return this.#on.capabilities()
      case 'snapshot':
        return this.#snapshot(action, targets, call, decision.obligations.redact)
      case 'query':
        return queries.query(action, who, signal)
      case 'describe':
        return queries.describe(action, targets, who)
      case 'wait':
        return untilHolds(scene, action.until, who, 'TIMEOUT', { timeoutMs: action.timeoutMs, pollMs: action.pollMs, signal })
      case 'assert':
        return untilHolds(scene, action.condition, who, 'ASSERT_FAILED', { timeoutMs: 0, signal })
      case 'capture':
        return this.#capture(action, targets, who, decision)
      case 'screens': {
        const [list, pointer] = await Promise.all([screens.list(), screens.pointer()])
        return { ...LOOKED, data: { screens: list, pointer } }
      }
      case 'apps':
        return queries.apps(who)
      case 'clipboard_read':
        return { ...LOOKED, data: { text: await clipboard(signal) } }
      case 'simulate':
        return LOOKED
      case 'code':
        return code.run(action, call, signal)
      case 'ask':
      case 'plan':
      case 'click':
      case 'click_xy':
      case 'type':
      case 'key':
      case 'keys':
      case 'scroll':
      case 'focus':
      case 'hover':
      case 'drag':
      case 'pointer':
      case 'window':
      case 'launch':
      case 'close':
      case 'clipboard_write':
        throw new DeskhandError('INTERNAL', `${action.do} is no look`)
      default:
        return action satisfies never
    }
  }

  async #snapshot(action: ActionOf<'snapshot'>, targets: readonly Resolved[], call: Call, redact?: boolean): Promise<Outcome> {
    const { queries, decider, capture } = this.#on
    const outcome = await queries.snapshot(action, targets, call.principal)
    // What has no tree shows in its picture alone.
    const bare = action.includeScreenshot ? undefined : queries.bareWindow(action, call.principal)
    if (!action.includeScreenshot && bare === undefined) return outcome
    const { refused, redact: isPrivate } = decider.captureTerms(call, 'ui.capture', true)
    if (refused !== undefined) {
      const text = bare === undefined ? outcome.text : `${outcome.text ?? ''}\nno picture of it: ${refused}`
      return { ...outcome, text, data: { ...Object(outcome.data), screenshot: null, screenshotReason: refused } }
    }
    const shot = await capture.answer(call.principal, { format: 'png', redact: redact || isPrivate }, bare)
    const [image] = shot.images ?? []
    const screenshot = image && {
      hash: shot.evidence?.screenshotHash,
      width: image.width,
      height: image.height,
      encoding: image.mimeType,
      imageId: image.id,
      note: shot.text,
    }
    const data = { ...Object(outcome.data), screenshot }
    const text = shot.text === undefined ? outcome.text : `${outcome.text ?? ''}\n${shot.text}`
    return { ...outcome, data, text, images: shot.images, evidence: { ...outcome.evidence, ...shot.evidence } }
  }

  async #capture(
    action: ActionOf<'capture'>,
    targets: readonly Resolved[],
    who: Principal,
    { verdict, obligations }: Decision,
  ): Promise<Outcome> {
    const { target, region, format } = action
    const node = target === undefined ? undefined : await this.#on.queries.element(target, targets, who)
    const agreed = verdict === 'ask_user' && node !== undefined ? windowOf(node) : undefined
    return this.#on.capture.answer(who, { rect: region, format, redact: obligations.redact, agreed }, node)
  }
}

/** What is done without looking at any element; a picture of the screen looks for itself. */
const looksAtTree = (action: Action): boolean => TRAITS[action.do].looksAtTree && (action.do !== 'capture' || action.target !== undefined)
