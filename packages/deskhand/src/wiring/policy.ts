import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopKind } from '@deskhand/core/model'
import { hasCode, syncFolder } from '@deskhand/core/platform'
import { openPolicy, parsePolicy, type PolicyFile, PRESETS, type Preset, type RulePolicy } from '@deskhand/core/policy'
import type { Config } from '../config.ts'
import { stateDir } from '../defaults.ts'
import { Extensions, policyFiles } from '../extension/store.ts'

/** What a desktop is governed by: the files that its configuration names, and beside them one file of rules that operators save over the API. */
export class DesktopPolicy {
  /** Where saved rules are kept; a desktop without a state folder has none. */
  readonly file: string | undefined
  readonly #config: Config
  readonly #machine: readonly PolicyFile[]
  #saved: string
  #current: RulePolicy
  #saving = Promise.resolve()

  /** `machine`: what holds on this computer for everyone. */
  constructor(config: Config, machine: readonly PolicyFile[], file?: string) {
    this.#config = config
    this.#machine = machine
    this.file = file
    this.#saved = file === undefined ? '' : readIfThere(file)
    this.#current = this.with(this.#saved)
  }

  get current(): RulePolicy {
    return this.#current
  }

  /** The preset that lies below the rules. */
  get preset(): string {
    return this.#config.policy.preset ?? defaultPreset(this.#config.desktop.kind)
  }

  get saved(): string {
    return this.#saved
  }

  /** The policy as it would be with this text in place of the saved rules. Throws BAD_POLICY. */
  with(text: string): RulePolicy {
    const { preset } = this
    const { files, admin, nonInteractive } = this.#config.policy
    if (!isPreset(preset))
      throw new DeskhandError('BAD_CONFIG', `policy.preset: there is no preset ${preset}`, { next: `Use one of ${PRESETS.join(', ')}.` })
    const apps = { apps: this.#config.desktop.apps, file: this.#config.file }
    const added = policyFiles(new Extensions(stateDir(this.#config)).all(this.#config.extensions.keys))
    const drafts = text === '' ? [] : [parsePolicy(text, this.file ?? 'draft.toml', 'user')]
    const settings = { automation: this.#config.automation, nonInteractive }
    return openPolicy({ preset, user: [...added, ...files], admin, texts: [...drafts, ...this.#machine], settings, apps })
  }

  /**
   * Puts this text in place of the saved rules, where the rules in force are still those of `upon`. `record` writes down that it happens; nothing
   * counts before that.
   */
  save(text: string, upon: string, record: (change: { file: string; from: string; to: string }) => Promise<void>): Promise<void> {
    const saved = this.settled().then(() => this.#save(text, upon, record))
    this.#saving = saved.catch(() => {})
    return saved
  }

  /** Resolves when no rules are being saved: who was told that rules were saved, and reads them, reads those. */
  settled(): Promise<void> {
    return this.#saving
  }

  async #save(text: string, upon: string, record: (change: { file: string; from: string; to: string }) => Promise<void>): Promise<void> {
    if (this.file === undefined) throw new DeskhandError('NOT_CAPABLE', 'this desktop keeps no state, so no rules can be saved')
    if (upon !== this.#current.version)
      throw new DeskhandError('BAD_POLICY', 'the rules are others by now than those that this was written for', {
        next: 'Read them again, and save your change on top of them.',
      })
    const next = this.with(text)
    await record({ file: this.file, from: this.#current.version, to: next.version })
    await replaceWhole(this.file, text)
    this.#saved = text
    this.#current = next
  }
}

/** A sandbox that was brought up is the operator's grant to act on it; a person's own desktop is supervised. */
export const defaultPreset = (kind: DesktopKind): Preset => (kind === 'host' ? 'supervised' : 'sandbox')

const isPreset = (name: string): name is Preset => PRESETS.some((p) => p === name)

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw new DeskhandError('BAD_POLICY', `${file}: cannot be read`, { next: 'Give Deskhand the right to read it.', cause: error })
  }
}

/** Readers see the old text or the new one, also after a crash. */
async function replaceWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.draft`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  await syncFolder(dirname(file))
}
