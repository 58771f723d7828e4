import { randomBytes, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Result } from '@deskhand/core/model'
import type { CallOptions, Desk } from '../sdk/desk.ts'

/** So long a person elsewhere has the question alone before it is relayed. */
const SOON_MS = 1_000
const KEY = 'answer'

/** A call that was asked about, as its client carries it from one request to the next. */
interface Relayed {
  callId: string
  question: string
}

/** Signed: a client can neither make one up nor use another principal's. */
export const relayState = createRequestStateCodec<Relayed>({
  key: randomBytes(32),
  bind: ({ mcpReq, http }) => JSON.stringify([mcpReq.method, http?.authInfo?.extra?.['owner']]),
})

const Form = z.object({ allow: z.boolean(), reason: z.string().max(2_000).optional() })
const FORM = {
  type: 'object' as const,
  properties: {
    allow: { type: 'boolean' as const, title: 'Allow it', default: false },
    reason: { type: 'string' as const, title: 'Reason', maxLength: 2_000 },
  },
  required: ['allow'],
}

/** Whether a client said that it puts forms before a person; one that names no kind means forms. */
export function putsForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

interface RelayedCall {
  /** Makes the call, or finds the one of the same `callId`. */
  soon(options: CallOptions): Promise<Result>
  /** The same, as a client without forms gets it. */
  rest(options: CallOptions): Promise<CallToolResult>
  answer(result: Result): CallToolResult
}

/** Makes a call and has the client put the question before its person that it waits for, once. Whether the answer is one is the policy's. */
export async function relayed(desk: Desk, ctx: ServerContext, call: RelayedCall): Promise<CallToolResult | InputRequiredResult> {
  const earlier = ctx.mcpReq.requestState<Relayed>()
  const callId = earlier?.callId ?? randomUUID()
  if (earlier !== undefined) await bring(desk, earlier.question, ctx.mcpReq.inputResponses)
  const result = await call.soon(earlier === undefined ? { callId, waitMs: SOON_MS } : { callId })
  if (result.error?.code === 'RUNNING') return call.rest({ callId })
  if (result.error?.code !== 'APPROVAL_PENDING') return call.answer(result)
  const question = await questionOf(desk, result.op)
  if (question === undefined) return call.rest({ callId })
  if (question.id === earlier?.question) return call.answer(result)
  const counts = question.answerable ? '' : ' Answer it in Deskhand: what is answered here does not count.'
  const message = `${question.summary} (risk ${question.risk}).${counts}`
  return inputRequired({
    inputRequests: { [KEY]: inputRequired.elicit({ message, requestedSchema: FORM }) },
    requestState: await relayState.mint({ callId, question: question.id }, ctx),
  })
}

/** A person who closes the form has not answered. What does not count is refused and recorded; the question goes on waiting. */
async function bring(desk: Desk, question: string, responses: Record<string, unknown> | undefined): Promise<void> {
  const view = inputResponse(responses, KEY)
  const form = acceptedContent(responses, KEY, Form)
  const isDeclined = view.kind === 'elicit' && view.action === 'decline'
  if (form !== undefined || isDeclined) await desk.relay?.(question, form?.allow ?? false, form?.reason).catch(() => {})
}

interface OwnQuestion {
  id: string
  op: string
  summary: string
  risk: string
  answerable: boolean
}

async function questionOf(desk: Desk, op: string): Promise<OwnQuestion | undefined> {
  const { data } = await desk.call('input.questions')
  return (data as { questions: OwnQuestion[] } | undefined)?.questions.find((q) => q.op === op)
}
