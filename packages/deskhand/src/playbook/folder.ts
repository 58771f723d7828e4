import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { PLAYBOOK_NAME } from './format.ts'

/** Playbooks by name: those that lie in one folder, each in a file of its name, and those that extensions bring. */
export class PlaybookFolder {
  readonly #dir: string
  readonly #tasks: ReadonlyMap<string, string>

  constructor(dir: string, tasks: ReadonlyMap<string, string> = new Map()) {
    this.#dir = dir
    this.#tasks = tasks
  }

  read(name: string): string {
    const file = join(this.#dir, `${name}.toml`)
    if (PLAYBOOK_NAME.test(name) && existsSync(file)) return readFileSync(file, 'utf8')
    const task = this.#tasks.get(name)
    if (task !== undefined) return readFileSync(task, 'utf8')
    const names = [...this.#names(), ...this.#tasks.keys()]
    throw new DeskhandError('BAD_ARGS', `there is no playbook ${JSON.stringify(name)} here`, {
      next: names.length === 0 ? 'Send its text, or ask the operator for it.' : `Use one of ${names.join(', ')}.`,
    })
  }

  #names(): string[] {
    if (!existsSync(this.#dir)) return []
    return readdirSync(this.#dir)
      .filter((file) => file.endsWith('.toml'))
      .map((file) => file.slice(0, -'.toml'.length))
      .toSorted()
  }
}
