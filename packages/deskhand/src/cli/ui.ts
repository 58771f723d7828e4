import { readFileSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
import { toRole, WINDOWS } from '@deskhand/core/model'
import { visible } from '@deskhand/core/selector/quote'
import { parseUiFile } from '@deskhand/driver-virtual'
import { z } from 'zod'

const Problems = z.object({ problems: z.array(z.object({ path: z.string(), message: z.string() })) })

/** Says whether a simulated user interface can be loaded, and every field that keeps it from that. */
export function checkUi(file: string): void {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new DeskhandError('BAD_UI_FILE', `${file} cannot be read`, { cause })
  }
  try {
    const { windows } = parseUiFile(text)
    const own = windows.filter((w) => WINDOWS.has(toRole(w.element_type) ?? '')).length
    // What lies outside of any window shares one.
    const count = own < windows.length ? own + 1 : own
    process.stdout.write(`${file}: fine, ${count} ${count === 1 ? 'window' : 'windows'}\n`)
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    const told = Problems.safeParse(error.details)
    for (const { path, message } of told.success ? told.data.problems : []) say(file, path, message)
    throw error
  }
}

const say = (file: string, path: string, message: string): void =>
  void process.stdout.write(`${visible(path === '' ? `${file}: ${message}` : `${file}: ${path}: ${message}`)}\n`)
