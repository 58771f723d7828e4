import { DeskhandError } from '../../errors.ts'
import { appWords, type AppIdentity, type Expectation } from '../../model/index.ts'
import { clip } from '../../selector/index.ts'
import type { Resolved } from './targets.ts'

/** Refuses a call that would meet another application, or another kind of element, than it was made for. It says what it found instead. */
export function mustBeExpected(expects: Expectation | undefined, targets: readonly Resolved[]): void {
  if (expects === undefined) return
  const { role, app } = expects
  const other = targets.find(
    (t, i) => (i === 0 && role !== undefined && t.facts.role !== role) || (app !== undefined && !isSame(app, t.facts.app)),
  )
  if (targets.length > 0 && other === undefined) return
  const found = other === undefined ? 'nothing that is known' : words(other.facts.role, other.facts.app, other.facts.name)
  throw new DeskhandError('TARGET_CHANGED', `expected ${words(role ?? 'an element', app)}, found ${found}`, {
    next: 'Look at what is there; the playbook has to be recorded anew if this is right.',
  })
}

/** A program is known by its executable and by what that runs; what it calls itself counts only where it has no process. */
function isSame(wanted: NonNullable<Expectation['app']>, found: AppIdentity | undefined): boolean {
  if (found === undefined) return false
  const isProcess = wanted.executable !== undefined || found.executable !== undefined
  if (!isProcess) return wanted.name === undefined || wanted.name === found.name
  const isBundle = wanted.bundle === undefined || wanted.bundle === found.bundle
  return wanted.executable === found.executable && wanted.runs === found.runs && isBundle
}

function words(role: string, app: Expectation['app'] | AppIdentity, name?: string): string {
  const named = name === undefined ? role : `${role} ${clip(name, 60)}`
  return app === undefined ? named : `${named} of ${appWords({ ...app, id: app.name ?? 'an application' })}`
}
