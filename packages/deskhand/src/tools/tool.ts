import type { z } from 'zod'
import { ACTIONS, type ActionKind, type Expectation, type PlaybookStamp, type Principal, type Result } from '@deskhand/core/model'
import type { InputLease, Session } from '@deskhand/core/session'
import type { Vision } from '@deskhand/vision'
import type { CallOptions } from '../sdk/desk.ts'
import type { PlaybookFolder } from '../playbook/folder.ts'
import { readArgs } from './read-args.ts'
import type { Toolset } from './toolsets.ts'

/** What every face offers: a name, words for the model, and a schema. */
interface Face<I extends z.ZodType = z.ZodType> {
  name: string
  toolset: Toolset
  description: string
  input: I
  /** Only looks; asking twice does no harm. */
  readOnly: boolean
}

/** An action: everything it does goes through the session's one path. */
export interface ActionTool extends Face {
  kind: ActionKind
}

/** Several actions in a row, each on the one path. It answers in a shape of its own (`data`), beside the record of its last action. */
export interface ComposedTool extends Face {
  compose(act: Perform, args: unknown, on: ToolContext, who: Principal): Promise<Result>
  /** Tells what changed, as an action does: in the common record alone, or beside a shape of its own. */
  tells?: 'record' | 'own'
  /** Does not wait for a person: where one is asked, it ends with the operation that waits. */
  stopsWhenAsked?: boolean
  /** The calls that it stands for, where each can be rehearsed by itself. */
  parts?(args: unknown): { tool: string; args: unknown }[] | undefined
}

/** A word about calls already made; it touches no desktop. */
export interface ControlTool extends Face {
  control(session: Session, args: unknown, who: Principal): Promise<Result>
}

export type Tool = ActionTool | ComposedTool | ControlTool

/** A desktop and what comes with it. */
export interface ToolContext {
  session: Session
  /** On simulated desktops. */
  avis?: AvisRunner
  /** Finds pictures on the screen. */
  vision?: Vision
  /** The playbooks that the operator keeps, by name. */
  playbooks?: PlaybookFolder
  /** Which Python runs what agents send; the bundled one when left out. */
  pythonEngine?: 'bundled' | 'system'
}

/** The commands of a simulated desktop; what a command does goes through `act`. */
export interface AvisRunner {
  run(act: Perform, command: string, args: unknown, who: Principal): Promise<unknown>
}

/** A call's options, once the controls that it names are known. */
export type DispatchOptions = Omit<CallOptions, 'hold'> & { lease?: InputLease }

/** One action of a composed tool; `tool` is the one that it is known by, where that is another. */
export type Perform = (kind: ActionKind, args: unknown, more?: PerformOptions) => Promise<Result>

interface PerformOptions {
  tool?: string
  /** The playbook that it is a step of, and what it has to meet. */
  playbook?: PlaybookStamp
  expects?: Expectation
}

export function actionTool(name: string, toolset: Toolset, kind: ActionKind, readOnly: boolean, description: string): ActionTool {
  return { name, toolset, kind, readOnly, description, input: ACTIONS[kind] }
}

/** A composed tool whose arguments are read by its schema, once. */
export function composedTool<I extends z.ZodType>(
  face: Face<I>,
  compose: (act: Perform, args: z.output<I>, on: ToolContext, who: Principal) => Promise<Result>,
): ComposedTool {
  return { ...face, compose: (act, args, on, who) => compose(act, readArgs(face.name, face.input, args), on, who) }
}

export function controlTool<I extends z.ZodType>(
  face: Face<I>,
  control: (session: Session, args: z.output<I>, who: Principal) => Promise<Result>,
): ControlTool {
  return { ...face, control: async (session, args, who) => control(session, readArgs(face.name, face.input, args), who) }
}

/** The actions of one call to a composed tool; the policy knows them by that tool's name, and a repeated call by its number. */
export function performer(
  session: Session,
  tool: string,
  principal: Principal,
  options: Omit<DispatchOptions, 'waitMs'> & { waitMs?: number | 'asked' },
): Perform {
  const { waitMs, callId, changes: _, ...rest } = options
  let count = 0
  return (kind, args, { tool: known = tool, ...more } = {}) => {
    const numbered = callId === undefined ? undefined : `${callId}/${count++}`
    return session.call({ tool: known, kind, args, principal, ...rest, ...more, callId: numbered }, waitMs)
  }
}
