import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** This package's version, from its own package.json: the same place from src and from dist. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version
