import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@deskhand/core/model'
import { open, type Opened } from '../../packages/deskhand/src/wiring/open.ts'
import { element, window } from '../support/desk.ts'

const ODD = join(import.meta.dirname, '../fixtures/odd-driver.mjs')
const OWN = [window('Form', [element('button', 'Save'), element('text_field', 'Name')])]

/** A simulated desktop with the odd driver beside its own. */
export class OddDesk {
  readonly #dir: string
  readonly #desk: Opened

  static async open(mode = 'good', policy = ''): Promise<OddDesk> {
    const dir = mkdtempSync(join(tmpdir(), 'dh-'))
    writeFileSync(join(dir, 'mode'), mode)
    writeFileSync(join(dir, 'ui.json'), JSON.stringify(OWN))
    writeFileSync(join(dir, 'policy.toml'), policy)
    const env = { ODD_MODE: join(dir, 'mode'), ODD_STARTS: join(dir, 'starts') }
    const mcp = { command: [process.execPath, ODD] as [string, string], env }
    const desk = await open({
      config: {
        desktop: { kind: 'virtual', ui: join(dir, 'ui.json') },
        policy: { files: [join(dir, 'policy.toml')] },
        drivers: [{ name: 'odd', mcp, risk: 'medium' }],
      },
    })
    return new OddDesk(dir, desk)
  }

  private constructor(dir: string, desk: Opened) {
    this.#dir = dir
    this.#desk = desk
  }

  behave(mode: string): void {
    writeFileSync(join(this.#dir, 'mode'), mode)
  }

  /** Every start of the driver: its pid, and when. */
  starts(): { pid: number; at: number }[] {
    const file = join(this.#dir, 'starts')
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    return lines.map((line) => ({ pid: Number(line.split(' ')[0]), at: Number(line.split(' ')[1]) }))
  }

  call(tool: string, args: unknown = {}): Promise<Result> {
    return this.#desk.call(tool, args)
  }

  /** Presses the odd driver's button. */
  send(): Promise<Result> {
    return this.call('ui.click', { target: 'odd:role=button && name=Send', timeoutMs: 0 })
  }

  /** Fills in a field of the desktop's own driver. */
  fill(text: string): Promise<Result> {
    return this.call('ui.type', { target: 'virtual:name=Name', text, mode: 'replace' })
  }

  async close(): Promise<void> {
    await this.#desk.close()
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
