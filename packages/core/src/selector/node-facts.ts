import { ROLES, toRole, type AppIdentity, type Rect, type Role, type UiNode } from '../model/index.ts'

const CANONICAL = new Map<string, Role>(ROLES.map((r) => [r, r]))

/** The role in its canonical spelling; `unknown` for a word that is in no table. */
export const roleOf = (node: UiNode): Role => CANONICAL.get(node.role) ?? toRole(node.role) ?? 'unknown'

/** A password's value cannot be read, not even by guessing. */
export const valueOf = (node: UiNode): string | undefined => (node.states?.password ? undefined : node.value)

/** The executable's name without its folder. */
export const basename = (app: AppIdentity): string | undefined => app.executable?.split(/[\\/]/).at(-1)

/** Whether the rectangle is a place on a screen. */
export const placed = (r: Rect | undefined): r is Rect => r !== undefined && r.w > 0 && r.h > 0 && Number.isFinite(r.x + r.y + r.w + r.h)
