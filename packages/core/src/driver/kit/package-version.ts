import { readFileSync } from 'node:fs'

/** The version of the package of a module in its `src` or `dist`, by that module's own URL. */
export function packageVersion(module: string): string {
  const own: { version: string } = JSON.parse(readFileSync(new URL('../package.json', module), 'utf8'))
  return own.version
}
