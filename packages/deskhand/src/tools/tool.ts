import { z } from 'zod'
import { ACTIONS, type ActionKind, type Principal, type Result } from '@deskhand/core/model'
import type { Session } from '@deskhand/core/session'
import type { Avis } from '../avis.ts'
import type { CallOptions } from '../desk.ts'

export const TOOLSETS = ['ui', 'gui', 'script', 'python', 'avis', 'desktop', 'op'] as const
export type Toolset = (typeof TOOLSETS)[number]

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

/** Several actions in a row, each on the one path. It answers in a shape of its own (`data`), beside the record of its last action. */
export interface ComposedTool extends Face {
  compose(act: Perform, args: unknown, on: Station, who: Principal): Promise<Result>
}

/** A desktop and what comes with it. */
export interface Station {
  session: Session
  /** On simulated desktops. */
  avis?: Avis
  /** Which Python runs what agents send; the bundled one when left out. */
  pythonEngine?: 'bundled' | 'system'
}

/** One action of a composed tool. */
export type Perform = (kind: ActionKind, args: unknown) => Promise<Result>

/** A word about calls already made; it touches no desktop. */
export interface ControlTool extends Face {
  control(session: Session, args: unknown, who: Principal): Promise<Result>
}

export type Tool = ActionTool | ComposedTool | ControlTool

export function actionTool(name: string, toolset: Toolset, kind: ActionKind, readOnly: boolean, description: string): ActionTool {
  return { name, toolset, kind, readOnly, description, input: ACTIONS[kind] }
}

/** The actions of one call to a composed tool; the policy knows them by that tool's name, and a repeated call by its number. */
export function performer(session: Session, tool: string, principal: Principal, options: CallOptions): Perform {
  const { waitMs, callId, ...rest } = options
  let count = 0
  return (kind, args) =>
    session.call({ tool, kind, args, principal, ...rest, callId: callId === undefined ? undefined : `${callId}/${count++}` }, waitMs)
}
