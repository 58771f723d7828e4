import { AVIS_COMMANDS } from '@deskhand/driver-virtual'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { refusal } from '../desk.ts'
import type { ComposedTool, Perform, Tool } from './tool.ts'

/** The commands of the simulated desktop, by element ids. They come with a simulated desktop only. */
export const avisTools: readonly Tool[] = Object.entries(AVIS_COMMANDS).map(([command, { description, parameters }]): ComposedTool => ({
  name: `avis.${command}`,
  toolset: 'avis',
  description,
  input: parameters,
  readOnly: command.startsWith('get_'),
  compose: async (act, args, { avis }) => {
    if (avis === undefined)
      throw new DeskhandError('NOT_CAPABLE', 'avis.* works on a simulated desktop only', { next: 'Use the ui.* tools here.' })
    const last: { result?: Result } = {}
    const watched: Perform = async (kind, more) => (last.result = await act(kind, more))
    // What touches no element is decided and recorded all the same.
    const allowed = await watched(command === 'load_virtual_ui' ? 'simulate' : 'capabilities', {})
    if (allowed.error !== undefined) return allowed
    try {
      const data = await avis.run(watched, command, args ?? {})
      return { ...(last.result ?? allowed), text: undefined, data }
    } catch (thrown) {
      return { ...allowed, ...refusal(DeskhandError.from(thrown)) }
    }
  },
}))
