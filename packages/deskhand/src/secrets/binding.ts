import { basename } from 'node:path'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import type { TargetFacts } from '@deskhand/core/model'
import { addressOf, glob, isWeb, urlTest } from '@deskhand/core/policy'

const globs = (compile: (pattern: string) => unknown) =>
  z
    .array(z.string().min(1).refine(can(compile), 'is no pattern'))
    .min(1)
    .optional()

/** Where a secret may be typed. */
export const Binding = z.strictObject({
  /** Names of executables, or `virtual:` and the name of a simulated application. */
  apps: z.array(z.string()).min(1),
  /** Globs on what an interpreter runs: every script of one has the same executable. */
  runs: globs((pattern) => glob(pattern, { path: true })),
  /** Globs as for `url` in rules: any page can show a field for a password. */
  urls: globs((pattern) => urlTest(pattern, true)),
  roles: z.array(z.string()).min(1).default(['textbox']),
})
export type Binding = z.output<typeof Binding>

/** Throws where a secret is not bound to this target. */
export function mustBeBound(name: string, to: Binding, target: TargetFacts | undefined): void {
  const { app, role = 'nothing', url } = target ?? {}
  const program = app?.executable === undefined ? app?.id : basename(app.executable)
  if (app === undefined || program === undefined || !to.apps.includes(program) || !to.roles.includes(role))
    throw new DeskhandError('DENIED', `the secret ${name} may not be typed into ${role} of ${program ?? 'an unknown application'}`)
  const { runs } = app
  if (runs !== undefined && !to.runs?.some((pattern) => glob(pattern, { path: true })(runs)))
    throw new DeskhandError('DENIED', `the secret ${name} is not bound to what ${program} runs here`, {
      next: 'The operator names the script or jar in secrets.toml, as runs.',
    })
  if (!isWeb(app)) return
  const page = url === undefined ? undefined : addressOf(url)
  if (page === undefined || !to.urls?.some((pattern) => urlTest(pattern, true)(page)))
    throw new DeskhandError('DENIED', `the secret ${name} is not bound to this page of ${program}`, {
      next: 'Type it on the page that it is for; the operator names pages in secrets.toml, as urls.',
    })
}

function can(compile: (pattern: string) => unknown): (pattern: string) => boolean {
  return (pattern) => {
    try {
      compile(pattern)
      return true
    } catch {
      return false
    }
  }
}
