import { DeskhandError } from '@deskhand/core/errors'
import type { Config } from '../config.ts'
import { type Keeping, deathOf, keep } from './keeper.ts'
import { planSandbox } from './plan.ts'
import type { PartName, SandboxRecord } from './record.ts'
import { bringUp } from './sandbox.ts'
import { endApplication, findSandbox, reap, takeDown } from './takedown.ts'

/** A sandbox as a broker has it: supervised while the broker runs. */
export interface OwnedSandbox {
  env: Record<string, string>
  warnings: string[]
  died: Promise<DeskhandError>
  /** The reason behind what looked like another failure, where it is the desktop that died. */
  explain(failure: DeskhandError): DeskhandError
  /** Ends an application of this desktop. */
  end(pid: number): Promise<void>
  resize(width: number, height: number): Promise<void>
  down(): Promise<void>
}

/** A sandbox that is already up, or one of our own that ends with us. What earlier owners left is cleared away first. */
export async function ownSandbox(stateDir: string, wish: Config['desktop'], restarted: (part: PartName) => void): Promise<OwnedSandbox> {
  if (wish.sandbox !== undefined) {
    const { record, state, missing } = findSandbox(stateDir, wish.sandbox)
    if (state === 'dead' || state === 'starting')
      throw new DeskhandError(
        'NO_DESKTOP',
        `the sandbox ${record.id} is ${state}${missing.length === 0 ? '' : `: ${missing.join(', ')} ended`}`,
      )
    return owned(record, [], keep(stateDir, record, restarted), async () => {})
  }
  await reap(stateDir)
  const { file, isolate, display, width, height } = wish
  const { options, warnings } = await planSandbox({ file, isolate, display })
  const { record } = await bringUp({ ...options, width: options.width ?? width, height: options.height ?? height, stateDir })
  return owned(record, warnings, keep(stateDir, record, restarted), () => takeDown(stateDir, record))
}

function owned(record: SandboxRecord, warnings: string[], keeping: Keeping, down: () => Promise<void>): OwnedSandbox {
  return {
    env: record.env,
    warnings,
    died: keeping.died,
    explain: (failure) => deathOf(record) ?? failure,
    end: (pid) => endApplication(record, pid),
    resize: async (width, height) => {
      if (record.env['WAYLAND_DISPLAY'] !== undefined) throw new DeskhandError('NOT_CAPABLE', 'a Wayland sandbox keeps its size')
      const { resizeScreen } = await import('@deskhand/driver-linux')
      await resizeScreen(record.env, width, height)
    },
    down: async () => {
      await keeping.stop()
      await down()
    },
  }
}
