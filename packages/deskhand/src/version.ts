import { readFileSync } from 'node:fs'

const own: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** This package's version, from its own package.json: the same place from src and from dist. */
export const VERSION = own.version
