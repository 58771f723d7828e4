import type { VisualDOMSnapshot } from '@deskhand/core/model'
import { answer } from './embedded.ts'
import { askModel, type ModelOptions } from './provider.ts'
import { screenOf, type Screen } from './screen.ts'

const KEEP = 16

/** Answers questions about the screen: by a model where the operator configured one, else from elements and text. */
export class Analyst {
  readonly model: ModelOptions | undefined
  /** What each caller was told of last, for the question what changed. */
  readonly #before = new Map<string, Screen>()

  constructor(model?: ModelOptions) {
    this.model = model
  }

  /** By a model; the picture is masked. */
  ask(model: ModelOptions, prompt: string, png: Uint8Array): Promise<string> {
    return askModel(model, prompt, png)
  }

  /** Without a model, from what a snapshot says. */
  tell(prompt: string, dom: VisualDOMSnapshot, who: string): string {
    const screen = screenOf(dom)
    const before = this.#before.get(who)
    this.#before.delete(who)
    this.#before.set(who, screen)
    const [oldest] = this.#before.keys()
    if (this.#before.size > KEEP && oldest !== undefined) this.#before.delete(oldest)
    return answer(prompt, screen, before)
  }
}
