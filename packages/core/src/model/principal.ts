import { z } from 'zod'

/** agent: acts under the policy. viewer: looks, and changes nothing. operator: owns the desktop. */
export const PrincipalRole = z.enum(['agent', 'viewer', 'operator'])
export type PrincipalRole = z.infer<typeof PrincipalRole>

/** Who calls; always from the authenticated transport, never from what a client says of itself. */
export const Principal = z.object({ id: z.string(), role: PrincipalRole })
export type Principal = z.infer<typeof Principal>

/** How far real input may go. Only the operator raises it. */
export const Mode = z.enum(['simulation_only', 'allow_actual_input_restricted', 'allow_actual_input_full'])
export type Mode = z.infer<typeof Mode>

/** How far agents are held to the policy. advisory: an agent that wants to can go around the broker. */
export const Trust = z.object({ level: z.enum(['enforced', 'advisory']), why: z.string() })
export type Trust = z.infer<typeof Trust>

/** virtual: simulated; sandbox: a desktop Deskhand brought up; host: the person's own session. */
export const DesktopKind = z.enum(['virtual', 'sandbox', 'host'])
export type DesktopKind = z.infer<typeof DesktopKind>
