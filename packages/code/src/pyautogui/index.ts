export { LIMITS, type Limits } from './budget.ts'
export type { ScriptStep } from './script-session.ts'
export {
  realClock,
  type Clock,
  type ImageSearch,
  type Origin,
  type Pause,
  type Picture,
  type Question,
  type ScriptAction,
  type ScriptActions,
  type ScriptPort,
} from './script-port.ts'
export { parseAgentReply, type AgentReply } from './reply.ts'
export type { ProfileName } from './profile.ts'
export { rehearsing } from './rehearse.ts'
export { joining, ToolWriter, type ToolCall } from './tools.ts'
export { interpretScript, type RunOptions, type ScriptResult } from './run.ts'
export { validateScript, type ValidateOptions } from './validate.ts'
export type { Observer, PlannedCall } from './world.ts'
