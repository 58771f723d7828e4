import { z } from 'zod'
import { PrincipalRole } from './principal.ts'

/** Something that Deskhand needs on this machine: whether it is there, and the line that gets it. */
export const Check = z.object({ what: z.string(), ok: z.boolean(), detail: z.string(), fix: z.string().optional() })
export type Check = z.infer<typeof Check>

/** The configuration of a desktop, as far as its faces know it. */
export const SettingsInForce = z.looseObject({ python: z.looseObject({ timeout: z.number(), engine: z.string() }) })
export type SettingsInForce = z.infer<typeof SettingsInForce>

/** Who has a token for a desktop. */
export const TokenHolder = z.object({ id: z.string(), role: PrincipalRole.optional() })
export type TokenHolder = z.infer<typeof TokenHolder>
