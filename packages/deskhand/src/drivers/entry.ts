import { z } from 'zod'

const prefix = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,30}$/)
  .refine((word) => !['any', 'app', 'ocr', 'image'].includes(word), 'is taken')

/** A driver that does not come with Deskhand, as a configuration adds it to a desktop. */
export const DriverEntry = z.strictObject({
  /** Names it in rules, as `driver:<name>`, and in messages. */
  name: prefix,
  mcp: z.union([
    z.strictObject({
      command: z.tuple([z.string().min(1)], z.string()),
      /** What it is given beside PATH, HOME and the language. */
      env: z.record(z.string(), z.string()).optional(),
    }),
    z
      .strictObject({
        url: z.url({ protocol: /^https?$/ }),
        /** The variable of the environment that holds its token. */
        tokenEnv: z.string().min(1).optional(),
      })
      .refine(
        ({ url }) => /^https:|^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:|\/|$)/.test(url),
        'is in the clear: only https leaves this machine',
      ),
  ]),
  /** The selector prefixes that mean its elements; its name when left out. */
  prefixes: z.array(prefix).min(1).optional(),
  /** The least risk of acting on what it tells of. */
  risk: z.enum(['low', 'medium', 'high']).default('medium'),
})
export type DriverEntry = z.output<typeof DriverEntry>
