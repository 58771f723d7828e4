import type { ElementNode, Principal, Result, VisualDOMSnapshot } from '@deskhand/core/model'
import { Analyst } from '@deskhand/vision'
import type { Perform, ToolContext } from './tool.ts'

/** Where no eyes are set up, what the elements say is enough for an answer. */
const plain = new Analyst()

export interface Analysis {
  /** The record that counts. */
  record: Result
  shot: Result
  analysis?: string
}

/** Looks at the screen, by a model that the operator configured or by what elements and text say. Both looks are decided as any other. */
export async function analyze(act: Perform, { vision }: ToolContext, prompt: string, who: Principal): Promise<Analysis> {
  const { analyst = plain } = vision ?? {}
  const shot = await act('capture', {})
  if (analyst.model !== undefined) {
    const [image] = shot.images ?? []
    if (shot.error !== undefined || image === undefined) return { record: shot, shot }
    return { record: shot, shot, analysis: await analyst.ask(analyst.model, prompt, image.data) }
  }
  const look = await seen(act)
  if (look.error !== undefined) return { record: look, shot }
  return { record: look, shot, analysis: analyst.tell(prompt, look.data as VisualDOMSnapshot, who.id) }
}

/** The tree; and what is read in pixels where a window tells nothing of itself. */
async function seen(act: Perform): Promise<Result> {
  const look = await act('snapshot', { scope: 'desktop', includeTree: true })
  const { tree } = (look.data ?? {}) as VisualDOMSnapshot
  return tree?.children?.some(isUnread) ? act('snapshot', { scope: 'desktop', includeTree: true, includeTextIndex: true }) : look
}

const isUnread = ({ children = [], states }: ElementNode): boolean => children.length === 0 && states?.visible !== false
