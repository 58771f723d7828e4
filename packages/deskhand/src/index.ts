export { DeskhandError } from '@deskhand/core/errors'
export type { Plan, PlanStep, Result, VisualDOMSnapshot } from '@deskhand/core/model'
export type { CallOptions, Desk } from './desk.ts'
export { open, type Opened, type OpenOptions } from './open.ts'
export {
  parseAgentReply,
  validateScript,
  type AgentReply,
  type ScriptResult,
  type ScriptStep,
  type ValidateOptions,
} from '@deskhand/code/pyautogui'
export { runAutomationScript, type ScriptRunOptions } from './run-script.ts'
export { connect } from './connect.ts'
export { rehearse } from './rehearse.ts'
export { AccessibilityTree, GUIAutomation, ScreenRegion, type AccessibleElement, type AutomationOptions } from './automation.ts'
