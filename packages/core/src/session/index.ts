export type { OpenPlace } from './aftermath.ts'
export { chordEvents } from './act/keyboard.ts'
export type { Api } from './api.ts'
export type { Call, InputLease } from './call.ts'
export type { CallTrace, Counters } from './counters.ts'
export { grantable } from './decide/approvals.ts'
export type { Events } from './events.ts'
export type { Operation } from './operations.ts'
export type { FrameCall, FrameOptions, FramePart } from './picture/frames.ts'
export type {
  CodeEngine,
  CodePerform,
  CodeStage,
  HumanSettings,
  OtherDriver,
  Part,
  Pause,
  Ports,
  Recognizer,
  Redactor,
  Touched,
} from './ports.ts'
export { Session } from './session.ts'
