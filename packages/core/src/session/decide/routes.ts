import type { Action, ActionOf, Route } from '../../model/index.ts'
import type { DriverState } from '../see/driver-state.ts'
import { isEntry } from '../see/entries.ts'
import type { Resolved } from '../see/targets.ts'

const POINTER: Route = { by: 'pointer' }
const INTERFACE: Route = { by: 'interface' }
const OPENING: Route = { by: 'opening' }
const KEYS: Route = { by: 'keys' }
/** The own action of an entry may do more than a click, which chooses it. */
const CHOOSE = [INTERFACE, OPENING] as const
const ONLY = { none: [], pointer: [POINTER], interface: [INTERFACE], keys: [KEYS] } as const
/** What lies over an element keeps the pointer off it for a moment only, or for good: then its own action comes before waiting. */
const CLICK = [POINTER, INTERFACE, POINTER] as const
const CLICK_ENTRY = [POINTER, ...CHOOSE, POINTER] as const
/** In the order of preference: the value as a whole, with the focus where it would be for a person, then keys. */
const TYPE: readonly Route[] = [
  { focus: 'interface', by: 'interface' },
  { focus: 'pointer', by: 'interface' },
  INTERFACE,
  { focus: 'interface', by: 'keys' },
  { focus: 'pointer', by: 'keys' },
]
const BY_KEYS = TYPE.filter((route) => route.by === 'keys')

/**
 * The ways on which an action can be carried out. The first one is judged and taken; each of the others is judged when those before it could
 * not be taken. Empty for actions that have one way only, which their kind tells.
 */
export function routesOf(action: Action, [target]: readonly Resolved[], driver: DriverState): readonly Route[] {
  switch (action.do) {
    case 'click':
      return clickRoutes(action, target, driver)
    case 'type':
      return typeRoutes(action, target, driver)
    case 'focus':
      if (isPlace(target)) return ONLY.pointer
      return takesCaret(target) ? [INTERFACE, POINTER] : ONLY.interface
    case 'key':
      if (action.target === undefined) return ONLY.none
      return isPlace(target) ? BY_KEYS.slice(1) : takesCaret(target) ? BY_KEYS : BY_KEYS.slice(0, 1)
    default:
      return ONLY.none
  }
}

function clickRoutes(action: ActionOf<'click'>, target: Resolved | undefined, driver: DriverState): readonly Route[] {
  const isChosen = isEntry(target?.facts.role, target?.node)
  if (action.delivery === 'semantic') return isChosen ? CHOOSE : ONLY.interface
  const isPlain = action.button === 'left' && action.clickCount === 1 && !action.modifiers?.length
  if (!isPlain || isPlace(target) || !(driver.can('step:press') || driver.can('step:select'))) return ONLY.pointer
  if (!driver.can('step:pointer')) return isChosen ? CHOOSE : ONLY.interface
  return isChosen ? CLICK_ENTRY : CLICK
}

function typeRoutes(action: ActionOf<'type'>, target: Resolved | undefined, driver: DriverState): readonly Route[] {
  if (action.delivery === 'semantic') return ONLY.interface
  if (action.target === undefined) return ONLY.keys
  if (isPlace(target)) return BY_KEYS.slice(1)
  const { role, states } = target?.facts ?? { role: '' }
  const isWhole = states?.multiline === true || !/[\n\r\t]./s.test((action.text ?? '') + (action.submit === undefined ? '' : '\n'))
  const hasEnd = action.submit !== undefined || (states?.multiline !== true && /[\n\r\t]$/.test(action.text ?? ''))
  const canSet = isWhole && role !== 'terminal' && (driver.can('step:setText') || driver.can('step:setValue'))
  return TYPE.filter((route) => {
    if (route.by === 'interface' && !canSet) return false
    // The key at the end of a text needs the focus.
    if (route.focus === undefined && hasEnd) return false
    return route.focus !== 'pointer' || takesCaret(target)
  })
}

/** A place that was recognised in pixels has no interface of its own, and gets the keyboard as a person gives it. */
const isPlace = (target: Resolved | undefined): boolean => target?.facts.region !== undefined

/** A click puts the caret into a field; anything else it would press. */
const takesCaret = (target: Resolved | undefined): boolean => target?.facts.states?.editable === true
