import { z } from 'zod'

/** Which application is meant, as far as a playbook says: everything that is given must be the same. */
const ExpectedApp = z.strictObject({
  name: z.string().optional(),
  executable: z.string().optional(),
  runs: z.string().optional(),
  bundle: z.string().optional(),
})

/** What a step met when it was recorded. Whatever else it meets, it is not carried out. */
export const Expectation = z.strictObject({ role: z.string().min(1).optional(), app: ExpectedApp.optional() })
export type Expectation = z.infer<typeof Expectation>

/** The playbook that a call is a step of. Only Deskhand itself sets it, from bytes that it read. */
export const PlaybookStamp = z.object({
  name: z.string(),
  /** SHA-256 of its text without the signature, in hexadecimal digits. */
  sha256: z.string(),
  /** The Ed25519 key, in base64url, whose signature under the text is good; absent where there is none. */
  signer: z.string().optional(),
  step: z.number().optional(),
})
export type PlaybookStamp = z.infer<typeof PlaybookStamp>

/** What rules call a playbook: its signer's key and its digest. */
export const playbookNames = ({ sha256, signer }: PlaybookStamp): string[] => [
  `sha256:${sha256}`,
  ...(signer === undefined ? [] : [`ed25519:${signer}`]),
]
