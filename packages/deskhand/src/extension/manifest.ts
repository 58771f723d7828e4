import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml, TomlError } from 'smol-toml'
import { z } from 'zod'
import { DeskhandError, schemaProblem } from '@deskhand/core/errors'
import { inspectPolicy } from '@deskhand/core/policy'
import { idsIn, parse, type Prefixes, prefixesOf } from '@deskhand/core/selector'
import { DriverEntry } from '../drivers/entry.ts'
import { shapeOf } from '../playbook/shape.ts'

export const MANIFEST = 'extension.toml'

/** Settings of a policy file that hold for the whole desktop, and not for one application. */
const OPERATORS = ['automation', 'nonInteractive'] as const

/** A file of the extension's own. */
const file = z.string().regex(/^(?!.*\.\.)[\w-][\w./-]{0,199}$/, 'must be a path inside of the extension')

/** What an extension brings: data, of which nothing is run, and the drivers that it names. */
const Manifest = z.strictObject({
  extension: z.literal(1),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string().max(500).optional(),
  /** Selectors by name: `saveAs` of the extension `calc` is `app:calc.saveAs`. */
  selectors: z.record(z.string().regex(/^[a-z]\w{0,59}$/i), z.string().min(1).max(2_000)).default({}),
  /** Policy files; they count as the operator's own, and never for more. */
  policy: z.array(file).max(20).default([]),
  /** Playbooks by name: `totals` of the extension `calc` is `calc.totals` for `play.run`. */
  tasks: z.record(z.string().regex(/^[a-z]\w{0,39}$/i), file).default({}),
  /** Programs that serve as drivers, started in the extension's folder whenever a desktop comes up. At an address, one belongs in deskhand.toml. */
  drivers: z
    .array(
      z.strictObject({
        name: DriverEntry.shape.name,
        command: z.tuple([z.string().min(1)], z.string()),
        prefixes: DriverEntry.shape.prefixes,
        /** The least risk of acting on what it tells of; what is less is the operator's to say. */
        risk: z.enum(['medium', 'high']).default('medium'),
      }),
    )
    .max(4)
    .default([]),
})
export type Manifest = z.output<typeof Manifest>

/** Reads the manifest in a folder; everything that it names must be there and make sense. */
export function readManifest(dir: string): Manifest {
  const read = Manifest.safeParse(toml(text(dir, MANIFEST)))
  if (!read.success) throw bad(`${MANIFEST}: ${schemaProblem(read.error)}`)
  const manifest = read.data
  const prefixes = prefixesOf(manifest.drivers.map(({ name, prefixes: own = [name] }) => ({ kind: name, prefixes: own })))
  for (const [name, selector] of Object.entries(manifest.selectors)) {
    const problem = problemWith(selector, prefixes)
    if (problem !== undefined) throw bad(`the selector ${name}: ${problem}`)
  }
  for (const path of manifest.policy) {
    const source = text(dir, path)
    const { policy, problems } = inspectPolicy(source, path, 'user', OPERATORS)
    const [error] = problems
    if (error !== undefined) throw bad(`${path}:${error.line}: ${error.message}`)
    for (const setting of OPERATORS) if (policy?.[setting] !== undefined) throw bad(`${path}: ${setting} is the operator's own to say`)
  }
  for (const [name, path] of Object.entries(manifest.tasks)) {
    const problem = problemWithTask(text(dir, path))
    if (problem !== undefined) throw bad(`the task ${name}: ${path}: ${problem}`)
  }
  return manifest
}

function problemWithTask(playbook: string): string | undefined {
  try {
    shapeOf(playbook)
    return undefined
  } catch (thrown) {
    return DeskhandError.from(thrown).message
  }
}

function problemWith(selector: string, prefixes: Prefixes): string | undefined {
  try {
    const parsed = parse(selector, prefixes)
    if (parsed.alternatives.length > 1) return 'has alternatives; use || inside of a step'
    return idsIn(parsed).length > 0 ? 'names an element of one session' : undefined
  } catch (thrown) {
    return DeskhandError.from(thrown).message
  }
}

export const bad = (problem: string): DeskhandError =>
  new DeskhandError('BAD_CONFIG', `the extension cannot be used: ${problem}`, { next: 'Correct it there, or ask its author.' })

function text(dir: string, path: string): string {
  try {
    return readFileSync(join(dir, path), 'utf8')
  } catch {
    throw bad(`${path} is not there`)
  }
}

function toml(source: string): unknown {
  try {
    return parseToml(source)
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    throw bad(`${MANIFEST}:${thrown.line}: ${thrown.message.split('\n')[0]}`)
  }
}
