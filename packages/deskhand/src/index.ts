export { DeskhandError } from '@deskhand/core/errors'
export type { Plan, PlanStep, Result, VisualDOMSnapshot } from '@deskhand/core/model'
export type { CallOptions, Desk, HoldingDesk } from './sdk/desk.ts'
export { open, type Opened, type OpenOptions } from './wiring/open.ts'
export {
  parseAgentReply,
  validateScript,
  type AgentReply,
  type ScriptResult,
  type ScriptStep,
  type ValidateOptions,
} from '@deskhand/code/pyautogui'
export { runAutomationScript, type ScriptRunOptions } from './sdk/run-script.ts'
export { connect } from './sdk/connect.ts'
export { rehearse } from './sdk/rehearse.ts'
export { GUIAutomation, type AutomationOptions } from './sdk/automation.ts'
export { AccessibilityTree, ScreenRegion, type AccessibleElement } from './sdk/accessibility.ts'
