import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { PythonArgs } from '@deskhand/code/python'
import type { ComposedTool, Tool } from './tool.ts'

const ScriptArgs = z.strictObject({
  script: z.string().max(200_000).describe('PyAutoGUI Python'),
  profile: z.enum(['strict', 'agent']).default('agent').describe('strict: no imports, only the bare minimum'),
  relativeCoordinates: z.boolean().default(false).describe('floats from 0 to 1 are parts of the screen'),
  pause: z.number().min(0).max(60).default(0).describe('seconds between calls'),
  rehearse: z.boolean().default(false).describe('only say what each call would touch and what would be decided'),
  toTools: z.boolean().default(false).describe('also write the script as ui.* calls by selectors'),
})

const scriptRun: ComposedTool = {
  name: 'script.run',
  toolset: 'script',
  description: 'Run a PyAutoGUI script. It is checked as a whole, then every call in it is governed like any other action. No Python runs.',
  input: ScriptArgs,
  readOnly: false,
  compose: async (act, args) => {
    const read = ScriptArgs.safeParse(args)
    if (!read.success)
      throw new DeskhandError('BAD_ARGS', `script.run: ${read.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}`)
    const { script, ...options } = read.data
    const done = await act('code', { code: script, engine: 'pyautogui', options })
    return { ...done, data: done.data ?? { status: 'error', detail: `${done.error?.message} ${done.error?.next}`, steps: [], output: '' } }
  },
}

const pythonRun: ComposedTool = {
  name: 'python.run',
  toolset: 'python',
  description: 'Execute a Python script using the bundled Python environment. Returns stdout, stderr, and exit code.',
  input: PythonArgs,
  readOnly: false,
  compose: async (act, args, { pythonEngine = 'bundled' }) => {
    const read = PythonArgs.safeParse(args)
    if (!read.success)
      throw new DeskhandError('BAD_ARGS', `python.run: ${read.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}`)
    const done = await act('code', { ...read.data, engine: pythonEngine })
    return { ...done, data: done.data ?? { ok: false, error: done.error } }
  },
}

export const codeTools: readonly Tool[] = [scriptRun, pythonRun]
