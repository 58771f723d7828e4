export { LIMITS, type Limits } from './budget.ts'
export type { ScriptStep } from './desk.ts'
export {
  realClock,
  type Clock,
  type Hands,
  type ImageSearch,
  type Origin,
  type Picture,
  type Question,
  type ScriptAction,
  type ScriptActions,
} from './hands.ts'
export { PauseSwitch } from './pause.ts'
export { parseAgentReply, type AgentReply } from './reply.ts'
export type { ProfileName } from './profile.ts'
export { rehearsing } from './rehearse.ts'
export { joining, ToolWriter, type ToolCall } from './tools.ts'
export { runAutomationScript, type RunOptions, type ScriptResult } from './run.ts'
export { validateScript, type ValidateOptions } from './validate.ts'
export type { Observer, PlannedCall } from './world.ts'
