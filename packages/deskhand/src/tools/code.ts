import { z } from 'zod'
import { PythonArgs } from '@deskhand/code/python/args'
import { DeskhandError } from '@deskhand/core/errors'
import type { Result } from '@deskhand/core/model'
import { scriptText, type ToldScript } from '../code/told-steps.ts'
import { refusal } from '../sdk/desk.ts'
import { composedTool, type ComposedTool, type Tool } from './tool.ts'

const ScriptArgs = z.strictObject({
  script: z.string().max(200_000).describe('PyAutoGUI Python'),
  profile: z.enum(['strict', 'agent']).default('agent').describe('strict: no imports'),
  relativeCoordinates: z.boolean().default(false).describe('floats from 0 to 1 are parts of the screen'),
  pause: z.number().min(0).max(60).default(0).describe('seconds between calls'),
  rehearse: z.boolean().default(false).describe('only say what would be touched and decided'),
  toTools: z.boolean().default(false).describe('also write the script as ui.* calls by selectors'),
})

const scriptRun = composedTool(
  {
    name: 'script.run',
    toolset: 'script',
    description:
      'Run a PyAutoGUI script. It is checked as a whole, then every call in it is governed like any other action. No Python runs.',
    input: ScriptArgs,
    readOnly: false,
  },
  async (act, { script, ...options }) => {
    const done = await act('code', { code: script, engine: 'pyautogui', options })
    const data = (done.data ?? scriptFailure(done.error)) as ToldScript
    return { ...done, data, text: scriptText(data, done.images?.length) }
  },
)

const pythonRun = composedTool(
  {
    name: 'python.run',
    toolset: 'python',
    description: 'Execute a Python script using the bundled Python environment. Returns stdout, stderr, and exit code.',
    input: PythonArgs,
    readOnly: false,
  },
  async (act, args, { pythonEngine = 'bundled' }) => {
    const done = await act('code', { ...args, engine: pythonEngine })
    return { ...done, data: done.data ?? pythonFailure(done.error) }
  },
)

const scriptFailure = (error: Result['error']) => ({
  status: 'error',
  detail: `${error?.message} ${error?.next}`,
  steps: [],
  output: '',
})
const pythonFailure = (error: Result['error']) => ({ ok: false, error })

/** Answers also for arguments that cannot be read in the tool's own shape. */
function answering(tool: ComposedTool, shape: (error: Result['error']) => unknown): ComposedTool {
  return {
    ...tool,
    compose: async (act, args, on, who) => {
      try {
        return await tool.compose(act, args, on, who)
      } catch (thrown) {
        const refused = on.session.redactor.value(refusal(DeskhandError.from(thrown))) as Result
        return { ...refused, data: shape(refused.error) }
      }
    },
  }
}

export const codeTools: readonly Tool[] = [{ ...answering(scriptRun, scriptFailure), tells: 'own' }, answering(pythonRun, pythonFailure)]
