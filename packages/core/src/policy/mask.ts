import { toRole, type AppIdentity, type DesktopKind, type FlatNode } from '../model/index.ts'
import { foldGlob, spell } from './fold.ts'
import { glob, linear } from './glob.ts'
import { appNames } from './identity.ts'
import { at, freeText, list } from './match.ts'
import type { MaskSpec } from './rule.ts'

/** Whether an element's contents are hidden from every principal. */
export type Masked = (node: Pick<FlatNode, 'role' | 'name'>, app: AppIdentity, desktop: DesktopKind) => boolean

/** Makes a mask ready to be asked; like a deny, it reads names as a person does. Throws a SyntaxError whose `cause` is the path of the bad key. */
export function compileMask({ app, role, name }: MaskSpec): Masked {
  const apps = at(['app'], () => list(app).map((g) => glob(foldGlob(g))))
  const roles = role === undefined ? undefined : at(['role'], () => list(role).map((g) => glob(toRole(g) ?? g.toLowerCase())))
  const names = name === undefined ? undefined : at(['name'], () => list(name).map((g) => freeText(g, false)))
  return (node, of, desktop) => {
    if (roles !== undefined && !roles.some((test) => test(node.role.toLowerCase()))) return false
    if (!appNames(of, desktop).claimed.some((called) => apps.some((test) => test(called)))) return false
    if (names === undefined) return true
    return node.name !== undefined && node.name !== '' && names.some((test) => test(spell(node.name ?? '')))
  }
}

/** Checks a regular expression for private text. Throws a SyntaxError for one that is none, is not linear, or fits no text at all. */
export function compilePrivate(pattern: string): void {
  if (linear(pattern).test('')) throw new SyntaxError('it fits a text without any letters, so everything would be private')
}
