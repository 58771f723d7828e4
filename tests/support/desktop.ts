import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { findPrograms } from '../../packages/deskhand/src/desktop/programs.ts'
import { type Sandbox, type SandboxOptions, bringUp } from '../../packages/deskhand/src/desktop/sandbox.ts'
import { starting } from './starting.ts'

/** Tests that need a real desktop. Where the packages are missing they are skipped, but in CI they fail. */
export const describeDesktop = describe.skipIf(process.env.CI !== 'true' && !hasPrograms())

/** … with Wayland as its display server. */
export const describeWayland = describe.skipIf(process.env.CI !== 'true' && !hasPrograms('wayland'))

/** A desktop of the test's own; `down` ends it and removes what it left. */
export async function testDesktop(options: Pick<SandboxOptions, 'width' | 'height' | 'display'> = {}): Promise<Sandbox> {
  const stateDir = mkdtempSync(join(tmpdir(), 'dh-state-'))
  const sandbox = await starting(bringUp({ stateDir, ...options }))
  return {
    ...sandbox,
    down: async () => {
      await sandbox.down()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

function hasPrograms(display: 'x11' | 'wayland' = 'x11'): boolean {
  try {
    findPrograms({ display })
    return true
  } catch {
    return false
  }
}
