import { z } from 'zod'
import { ACTIONS, type ActionKind, type Principal, type Result } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'

export type Toolset = 'ui' | 'desktop' | 'op'

/** What every face offers: a name, words for the model, and a schema. */
interface Face {
  name: string
  toolset: Toolset
  description: string
  input: z.ZodType
  /** Only looks; asking twice does no harm. */
  readOnly: boolean
}

/** An action: everything it does goes through the session's one path. */
export interface ActionTool extends Face {
  kind: ActionKind
}

/** A word about calls already made; it touches no desktop. */
export interface ControlTool extends Face {
  control(session: Session, args: unknown, who: Principal): Promise<Result>
}

export type Tool = ActionTool | ControlTool

export function actionTool(name: string, toolset: Toolset, kind: ActionKind, readOnly: boolean, description: string): ActionTool {
  return { name, toolset, kind, readOnly, description, input: ACTIONS[kind] }
}
