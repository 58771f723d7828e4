import { CAPS, type Cap, type CapName } from '@deskhand/core/driver'

export type Can = Record<CapName, Cap>

/** What the driver can do on every Windows, and what only with the hooks of the airbag. */
export function capabilities(hasHooks: boolean, refused?: string): Can {
  const can: Partial<Can> = {}
  for (const name of CAPS) can[name] = { ok: true }
  if (!hasHooks)
    can.humanInput = {
      ok: false,
      reason: refused ?? "a person's input is not told from that of programs while the safety airbag is off",
      fix: 'Set airbag = "audit_only" under [desktop], or let agents work on a desktop of their own.',
    }
  return can as Can
}
