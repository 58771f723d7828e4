import { readFileSync } from 'node:fs'
import { DeskhandError } from '@deskhand/core/errors'
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
    process.stdout.write(`${file}: fine, ${windows.length} ${windows.length === 1 ? 'window' : 'windows'}\n`)
  } catch (thrown) {
    const error = DeskhandError.from(thrown)
    const told = Problems.safeParse(error.details)
    for (const { path, message } of told.success ? told.data.problems : []) process.stdout.write(`${file}: ${path}: ${message}\n`)
    throw error
  }
}
