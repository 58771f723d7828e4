import { setTimeout as sleep } from 'node:timers/promises'
import { DeskhandError } from '@deskhand/core/errors'
import { center, contains, ending, type ElementNode, type Result } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import { matchesOf, type Found } from './found.ts'
import type { Perform } from './tool.ts'

/** How long the field over a cell is looked for. Two clicks that are closer together are a double click, which opens what is in the row instead. */
const EDITOR_MS = 800
const STORED_MS = 1_500
const AGAIN_MS = 100
const TEXTS = '(role=cell || role=label || role=columnheader || role=listitem || role=textbox)'

/** Whether it is a text that only pixels show, in a table or beside others. */
export const isSeenCell = ({ role, attributes }: ElementNode): boolean =>
  attributes?.['source'] === 'ocr' && (role === 'cell' || role === 'label' || role === 'columnheader')

/** Brings a cell that only pixels show to a text: in the field that a click opens over it. Without one nothing is typed, as keys could go anywhere. */
export async function setSeenCell(act: Perform, cell: ElementNode, text: string): Promise<Result> {
  const about = `${cell.id} ${cell.role} ${clip(cell.name ?? '', 60)}`
  for (let clicks = 0; clicks < 2; clicks++) {
    const target = clicks === 0 ? cell.id : ((await at(act, TEXTS, cell))?.elementId ?? cell.id)
    const clicked = await act('click', { target })
    if (clicked.error !== undefined) return { ...clicked, text: `${about}: not set` }
    const isSheet = await isCurrentInSheet(act, cell)
    const editor = isSheet ? undefined : await until(EDITOR_MS, () => at(act, 'role=textbox', cell))
    if (!isSheet && editor === undefined) continue
    const typed = await act('type', editor === undefined ? { text, submit: 'Enter' } : intoField(editor, text))
    // The field was read from other pixels than those of now.
    if (typed.error?.code === 'STALE_REF' && typed.sent === 'none') continue
    if (typed.error !== undefined) return { ...typed, text: `${about}: not set` }
    return became(act, cell, text, { ...typed, text: about })
  }
  const error = new DeskhandError('NOT_ACTIONABLE', `no field was seen to open over ${about}, so nothing was typed`, {
    next: 'Open its editor (ui.click with clickCount 2, or ui.key F2); then ui.type without a target types into it.',
  })
  return ending({ status: 'error', op: '', sent: 'all', effect: 'changed', error: error.toJSON(), text: `${about}: not set` })
}

const intoField = ({ elementId }: Found, text: string): object => ({ target: elementId, text, mode: 'replace', submit: 'Enter' })

/** Whether a sheet says that the cell gets the keys: it has a field with the place of its current cell, and one with what that holds. */
async function isCurrentInSheet(act: Perform, { name = '' }: ElementNode): Promise<boolean> {
  const fields = async (condition: string): Promise<Found[]> =>
    matchesOf(await act('query', { selector: `role=textbox && visible=true && ${condition}`, limit: 20 }))
  if ((await fields(`value~=${PLACE}`)).length === 0) return false
  for (const { elementId, value = '' } of await fields(`!value~=${PLACE}`)) {
    if (!isReadAs(value, name)) continue
    const { data } = await act('describe', { element: elementId })
    if (Object((data as ElementNode | undefined)?.attributes)['source'] !== 'ocr') return true
  }
  return false
}

/** What fields say where they name a cell. */
const PLACE = '/^[A-Z]{1,3}[0-9]{1,7}$/'

/** Whether a text may have been read as another one: a letter beside the border of a cell is easily taken for a different one. */
function isReadAs(text: string, read: string): boolean {
  const [a, b] = [plain(text), plain(read)]
  return a === b || (a.length > 2 && a.length === b.length && [...a].filter((c, i) => c !== b[i]).length === 1)
}

/** What is read at the place of the cell now. Letters may be misread: only the text of before is a failure. */
async function became(act: Perform, cell: ElementNode, text: string, done: Result): Promise<Result> {
  const read = async (): Promise<string | undefined> => {
    const found = await at(act, `${TEXTS} && !role=textbox`, cell)
    return found?.name === cell.name ? undefined : found?.name
  }
  const now = (await until(STORED_MS, read)) ?? (await at(act, TEXTS, cell))?.name
  const line = `${done.text}: ${now === undefined ? 'entered; nothing is read there now' : `reads ${clip(now, 200)} now`}`
  if (now === undefined || now !== cell.name || now === text)
    return { ...done, effect: plain(now) === plain(text) ? 'confirmed' : 'changed', text: line }
  const error = new DeskhandError('VERIFY_FAILED', `${clip(text)} was entered, but the place still reads ${clip(now)}`, {
    next: 'Look at a picture of it (ui.capture) before you try again.',
  })
  return ending({ ...done, status: 'error', effect: 'changed', error: error.toJSON(), text: line })
}

const plain = (text = ''): string => text.replaceAll(/\s/g, '').toLowerCase()

/** What matches a selector at the place of a cell: the cell's middle lies in it, or its own in the cell. */
async function at(act: Perform, selector: string, { bounds }: ElementNode): Promise<Found | undefined> {
  if (bounds === undefined) return undefined
  const found = matchesOf(await act('query', { selector: `${selector} && visible=true`, limit: 100 }))
  return found.find((f) => f.bounds !== undefined && (contains(bounds, center(f.bounds)) || contains(f.bounds, center(bounds))))
}

async function until<T>(mostMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + mostMs
  for (;;) {
    const found = await look()
    if (found !== undefined || performance.now() > end) return found
    await sleep(AGAIN_MS)
  }
}
