import { z } from 'zod'

/** Who calls; always from the authenticated transport, never from what a client says of itself. */
export const Principal = z.object({ id: z.string(), role: z.enum(['agent', 'operator']) })
export type Principal = z.infer<typeof Principal>

/** How far real input may go. Only the operator raises it. */
export const Mode = z.enum(['simulation_only', 'allow_actual_input_restricted', 'allow_actual_input_full'])
export type Mode = z.infer<typeof Mode>

/** virtual: simulated; sandbox: a desktop Deskhand brought up; host: the person's own session. */
export const DesktopKind = z.enum(['virtual', 'sandbox', 'host'])
export type DesktopKind = z.infer<typeof DesktopKind>
