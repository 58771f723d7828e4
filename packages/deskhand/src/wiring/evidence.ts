import { evidenceKey } from '@deskhand/core/journal'
import type { Config } from '../config.ts'

/** The key of encrypted evidence, where the configuration names one. */
export async function evidenceKeyOf({ evidence: { keyFile, keyEnv } }: Pick<Config, 'evidence'>): Promise<Buffer | undefined> {
  if (keyFile !== undefined) return evidenceKey({ file: keyFile })
  return keyEnv === undefined ? undefined : evidenceKey({ env: keyEnv })
}
