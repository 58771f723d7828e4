import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ending, Target, type Result } from '@deskhand/core/model'
import { clip } from '@deskhand/core/selector/quote'
import { isSeen, matchesOf, nameIs, type Found } from './found.ts'
import { composedTool, type ComposedTool, type Perform } from './tool.ts'

/** How long a menu may take to open, and to close behind an entry that was pressed. */
const OPENS_MS = 2_000
const CLOSES_MS = 5_000
const MOST = 40
const MOST_SHOWN = 200
const DEEPEST = 8
const ENTRIES = '(role=menuitem || role=menu || role=menuitemcheckbox || role=menuitemradio)'
const BUTTONS = '(role=button || role=togglebutton)'
/** What applications call the button of their menu. */
const APPLICATION_MENU = 'name~=/^(?:(?:main|open|application|app|primary|hamburger) )?menu$/i'

/** Walks a menu by the names of its entries and presses the last one. Each press is a click of its own. */
export const menuTool: ComposedTool = {
  ...composedTool(
    {
      name: 'ui.menu',
      toolset: 'ui',
      description:
        'Press an entry of a menu by its path, e.g. ["File", "New", "Variable…"]: of the menu bar or the application menu; with on, of that element’s context menu.',
      input: z.strictObject({
        path: z.array(z.string().min(1)).min(1).max(8),
        on: Target.optional().describe('the element whose context menu is meant'),
      }),
      readOnly: false,
    },
    async (act, { path, on }) => {
      let shut = await entriesShown(act)
      let isSent = false
      if (on !== undefined) {
        const opened = await act('click', { target: on, button: 'right' })
        if (opened.error !== undefined) return opened
        isSent = true
      }
      let last: Result | undefined
      let shown: string | undefined
      let again: (() => Promise<Result>) | undefined
      for (const [i, name] of path.entries()) {
        const isTop = i === 0 && on === undefined
        let entry = isTop ? await topEntry(act, name) : await entryNamed(act, name, shut)
        // What lies over the menu, as a dialog that is closing, may have kept it from opening: nothing is open then, so it is pressed once more.
        if ('error' in entry && again !== undefined && !(await isOpen(act, shut))) {
          await again()
          entry = await entryNamed(act, name, shut)
          if ('error' in entry && !(await isOpen(act, shut))) return ending({ ...unopened(path[i - 1]), sent: 'partial' })
        }
        if ('error' in entry) return leave(act, shut, isSent, entry.error)
        if (entry.through !== undefined) {
          const opened = await act('click', { target: entry.through })
          if (opened.error !== undefined) return opened
          isSent = true
          shut = NONE
          const inside = await entryNamed(act, name, shut)
          if ('error' in inside) return leave(act, shut, isSent, inside.error)
          shown = inside.target
          last = await act('click', { target: shown })
        } else {
          const targets = [entry.target, ...(entry.others ?? [])]
          const isInBar = isTop && shut.has(entry.target)
          again = isInBar ? () => press(act, targets) : undefined
          if (isTop && !isInBar) shut = NONE
          shown = isTop ? undefined : entry.target
          last = await press(act, targets)
        }
        if (last.error !== undefined) return leave(act, shut, isSent, last)
        isSent = true
      }
      if (last === undefined) throw new DeskhandError('BAD_ARGS', 'ui.menu: path is empty')
      return shown === undefined || last.sent === 'none' ? last : whenClosed(act, last, shown)
    },
  ),
  tells: 'record',
}

type Entry = { target: string; others?: string[]; through?: string } | { error: Result }

/** The first name of a path: an entry of the menu bar, a button that opens a menu, or an entry of the application menu. */
async function topEntry(act: Perform, name: string): Promise<Entry> {
  const found = await act('query', { selector: `${ENTRIES} && ${nameIs(name)}`, limit: MOST })
  if (found.error !== undefined) return { error: found }
  const seen = matchesOf(found).filter(isSeen)
  if (isRehearsed(found)) return { target: `${ENTRIES} && visible=true && ${nameIs(name)}` }
  if (seen.length > 0) return inBar(seen, name)
  const buttons = matchesOf(await act('query', { selector: `${BUTTONS} && visible=true && ${nameIs(name)}`, limit: MOST }))
  if (buttons.length > 0) return one(buttons, name)
  const [menu, ...others] = matchesOf(await act('query', { selector: `${BUTTONS} && visible=true && ${APPLICATION_MENU}`, limit: MOST }))
  if (menu !== undefined && others.length === 0) return { target: '', through: menu.elementId }
  return { error: await missing(act, name, NONE) }
}

/** An entry of a menu that has just been opened. */
async function entryNamed(act: Perform, name: string, shut: ReadonlySet<string>): Promise<Entry> {
  const shown = `(role=menuitem || role=menu || role=menuitemcheckbox || role=menuitemradio || role=button || role=checkbox || role=radio) && visible=true && ${nameIs(name)}`
  const found = await act('query', { selector: shown, limit: MOST, timeoutMs: OPENS_MS })
  if (isRehearsed(found)) return { target: shown }
  const seen = matchesOf(found)
  const entries = seen.filter((f) => f.role.startsWith('menu'))
  return seen.length === 0 ? { error: await missing(act, name, shut) } : one(entries.length > 0 ? entries : seen, name)
}

const isRehearsed = ({ data, error }: Result): boolean => error === undefined && (data as { matches?: unknown }).matches === undefined

function one(found: readonly Found[], name: string): Entry {
  const exact = found.some((f) => f.name === name) ? found.filter((f) => f.name === name) : found
  const [first, ...others] = atPlaces(exact)
  if (first !== undefined && others.length === 0) return { target: first.elementId }
  const error = new DeskhandError('AMBIGUOUS_TARGET', `${found.length} entries are called ${clip(name)}`, {
    next: `Click the one that is meant: ${found.map((f) => `${f.elementId} ${f.role}`).join(', ')}.`,
  })
  return { error: refused(error) }
}

/** Clicks the first of these that can be clicked. */
async function press(act: Perform, targets: readonly string[]): Promise<Result> {
  const [first = '', ...others] = targets
  if (others.length === 0) return act('click', { target: first })
  const clicked = await act('click', { target: first, timeoutMs: 0 })
  return clicked.error?.code === 'NOT_ACTIONABLE' && clicked.sent === 'none' ? press(act, others) : clicked
}

/** Entries of one name in a menu bar that is told of twice: one of them is the one on the screen. */
function inBar(found: readonly Found[], name: string): Entry {
  const exact = found.some((f) => f.name === name) ? found.filter((f) => f.name === name) : found
  const menus = exact.filter((f) => f.role === 'menu')
  const [first, ...others] = atPlaces(menus).toSorted((a, b) => (a.bounds?.y ?? 0) - (b.bounds?.y ?? 0))
  return first === undefined || menus.length < exact.length
    ? one(found, name)
    : { target: first.elementId, others: others.map((f) => f.elementId) }
}

/** Some toolkits tell of their menu bar twice: those that say where they are count, and one for each place. */
function atPlaces(found: readonly Found[]): Found[] {
  const placed = found.filter(({ bounds }) => bounds !== undefined && bounds.w > 0 && bounds.h > 0)
  const by = new Map((placed.length > 0 ? placed : found).map((f) => [JSON.stringify(f.bounds ?? f.elementId), f]))
  return [...by.values()]
}

/**
 * A menu closes behind an entry that was pressed; while it is open, what changed may be no more than the entry under the pointer. An entry
 * whose own state tells that it was pressed may leave its menu open.
 */
async function whenClosed(act: Perform, pressed: Result, entry: string): Promise<Result> {
  if (pressed.effect === 'confirmed') return pressed
  const uiState = { target: { elementId: entry } }
  // What the path ends with may be a menu itself, which opens.
  const opened = { uiState: { target: { selector: `${entry} >> ${ENTRIES} && visible=true >> nth=0` }, present: true } }
  const isClosed = { any: [{ uiState: { ...uiState, visible: false } }, { uiState: { ...uiState, present: false } }, opened] }
  const closed = await act('wait', { until: isClosed, timeoutMs: CLOSES_MS })
  if (closed.error === undefined || !matchesOf(await act('query', { selector: entry, limit: 1 })).some(isSeen)) return pressed
  const error = new DeskhandError(
    'VERIFY_FAILED',
    'the entry was clicked, but its menu is still open: the application did not take the click',
    {
      next: 'Click the entry, or close the menu with Escape.',
    },
  )
  return ending({ ...pressed, status: 'error', effect: 'unverified', error: error.toJSON() })
}

/** The entries to choose from are those of what was opened on the way; else all in view. */
async function missing(act: Perform, name: string, shut: ReadonlySet<string>): Promise<Result> {
  const there = matchesOf(await act('query', { selector: `${ENTRIES} && visible=true`, limit: MOST_SHOWN }))
  const opened = there.filter((f) => !shut.has(f.elementId))
  const names = [...new Set((opened.length > 0 ? opened : there).flatMap((f) => f.name?.trim() || []))]
  const more = names.length > MOST ? `, and ${names.length - MOST} more` : ''
  const told = names.slice(0, MOST).map((n) => clip(n, 40))
  const next =
    names.length === 0
      ? 'No menu shows here; look with ui.snapshot.'
      : `There ${told.length === 1 ? 'is' : 'are'} ${told.join(', ')}${more}.`
  return refused(new DeskhandError('NOT_FOUND', `no menu entry ${clip(name)} is there`, { next }))
}

const refused = (error: DeskhandError): Result =>
  ending({ status: 'error', op: '', sent: 'none', effect: 'refused', error: error.toJSON() })

/** The entries in view, by their ids; those of a menu bar are so while its menus are shut. */
async function entriesShown(act: Perform): Promise<ReadonlySet<string>> {
  const shown = matchesOf(await act('query', { selector: `${ENTRIES} && visible=true`, limit: MOST_SHOWN }))
  return new Set(shown.map((f) => f.elementId))
}

/** What a button opened may hold buttons instead of entries, so that nothing tells whether it is open. */
const NONE: ReadonlySet<string> = new Set()

/** Whether a menu shows that did not before. */
const isOpen = async (act: Perform, shut: ReadonlySet<string>): Promise<boolean> =>
  [...(await entriesShown(act))].some((id) => !shut.has(id))

const unopened = (menu = 'the menu'): Result =>
  refused(
    new DeskhandError('NOT_ACTIONABLE', `the menu ${clip(menu)} did not open`, {
      next: 'Something may lie over it or have the keyboard; look with ui.snapshot.',
    }),
  )

/** Closes what was opened on the way to an entry that is not there. Where nothing is open, Escape would mean something else to the application. */
async function leave(act: Perform, shut: ReadonlySet<string>, isSent: boolean, failed: Result): Promise<Result> {
  if (shut === NONE && isSent) await act('key', { keys: 'Escape' })
  else for (let i = 0; i < DEEPEST && (await isOpen(act, shut)); i++) await act('key', { keys: 'Escape' })
  return isSent ? ending({ ...failed, sent: 'partial' }) : failed
}
