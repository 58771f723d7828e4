import { CAPS, type Cap, type CapName } from '@deskhand/core/driver'

export type Can = Record<CapName, Cap>

const LACKS =
  'by GDI alone: desktop duplication (DXGI) and Windows.Graphics.Capture are not written, as no Windows was at hand to prove them on; what a graphics card draws past Windows may be black'

/** What the driver can do on every Windows, and what only with the hooks of the airbag. */
export function capabilities(hasHooks: boolean, refused?: string): Can {
  const can: Partial<Can> = {}
  for (const name of CAPS) can[name] = { ok: true }
  can.capture = { ok: true, lacks: LACKS }
  if (!hasHooks)
    can.humanInput = {
      ok: false,
      reason: refused ?? "a person's input is not told from that of programs while the safety airbag is off",
      fix: 'Set airbag = "audit_only" under [desktop], or let agents work on a desktop of their own.',
    }
  return can as Can
}
