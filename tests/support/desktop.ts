import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { findPrograms } from '../../packages/deskhand/src/desktop/programs.ts'
import { type Sandbox, bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'

/** Tests that need a real desktop. Where the packages are missing they are skipped, but in CI they fail. */
export const describeDesktop = describe.skipIf(process.env.CI !== 'true' && !hasPrograms())

/** A desktop of the test's own; `down` ends it and removes what it left. */
export async function testDesktop(size: { width?: number; height?: number } = {}): Promise<Sandbox> {
  const stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
  const sandbox = await bringUp({ stateDir, ...size })
  return {
    ...sandbox,
    down: async () => {
      await sandbox.down()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

function hasPrograms(): boolean {
  try {
    findPrograms()
    return true
  } catch {
    return false
  }
}
