/** Kinds of text that count as private by how they look; `token` are keys of services, `national-id` those of people. */
export const PRIVATE_KINDS = ['card', 'email', 'iban', 'ssn', 'national-id', 'token', 'private-key'] as const
export type PrivateKind = (typeof PRIVATE_KINDS)[number]

/** What counts as private on a desktop, where a rule asks to hide that. */
export interface PrivateSpec {
  /** All of them where this is absent. */
  kinds?: readonly PrivateKind[]
  /** The operator's own kinds: what stands for such a text, and a regular expression that runs in linear time. */
  own: Readonly<Record<string, string>>
}
