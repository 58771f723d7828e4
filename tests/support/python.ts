import { fileURLToPath } from 'node:url'

/** Debian's own; the one on the PATH may know nothing of GTK. */
export const PYTHON = '/usr/bin/python3'

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
