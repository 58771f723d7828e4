/** The numbers of UI Automation that are used here, as its type library has them. */
export const CLASS = 'ff48dba4-60ef-4201-aa87-54103eef594e'
export const INTERFACE = '30cbe57d-d9d0-452a-ab13-7ac5ac4825ee'

/** Places of methods in the tables of their interfaces, after the three of IUnknown. */
export const AUTOMATION = {
  GetRootElement: 5,
  ElementFromHandle: 6,
  ControlViewCondition: 18,
  CreateCacheRequest: 20,
  AddAutomationEventHandler: 32,
  AddPropertyChangedEventHandlerNativeArray: 34,
  AddStructureChangedEventHandler: 37,
  AddFocusChangedEventHandler: 39,
}
export const REQUEST = { AddProperty: 3, PutTreeScope: 7 }
export const ELEMENT = {
  SetFocus: 3,
  FindAllBuildCache: 8,
  BuildUpdatedCache: 9,
  GetCachedPropertyValueEx: 13,
  GetCurrentPattern: 16,
  GetCachedChildren: 19,
  CachedBoundingRectangle: 75,
}
/** Interfaces of what is told of changes; each has one method. */
export const HANDLER = {
  event: '146c3c17-f12e-4e22-8c27-f894b9b79c69',
  property: '40cd37d4-c756-4b0c-8c6f-bddfeeb13b50',
  structure: 'e81d1b4e-11c5-42f8-9754-e7036c79f054',
  focus: 'c270f6b5-5c69-4290-9745-7a7f97169468',
}
/** Events that tell of a change in what is shown. */
export const EVENT = {
  loaded: 20006,
  layout: 20008,
  selected: 20012,
  selectedToo: 20010,
  deselected: 20011,
  texts: 20015,
  opened: 20016,
  closed: 20017,
}
export const ARRAY = { Length: 3, GetElement: 4 }
export const SCOPE = { CHILDREN: 2, SUBTREE: 7 }

export const PATTERN = {
  invoke: { id: 10000, Invoke: 3 },
  value: { id: 10002, SetValue: 3 },
  range: { id: 10003, SetValue: 3 },
  expand: { id: 10005, Expand: 3, Collapse: 4 },
  selectionItem: { id: 10010, Select: 3 },
  text: { id: 10014, DocumentRange: 7 },
  toggle: { id: 10015, Toggle: 3 },
  scrollItem: { id: 10017, ScrollIntoView: 3 },
}
export const TEXT_RANGE = { GetText: 12 }

/** Asked for with the others, and read by a method of its own. */
export const BOUNDING_RECTANGLE = 30001

/** Everything else that is read of an element, in one request for all of its window. */
export const PROPERTY = {
  runtimeId: 30000,
  controlType: 30003,
  name: 30005,
  accessKey: 30007,
  hasFocus: 30008,
  focusable: 30009,
  enabled: 30010,
  automationId: 30011,
  className: 30012,
  help: 30013,
  password: 30019,
  window: 30020,
  offscreen: 30022,
  required: 30025,
  canExpand: 30028,
  isGridItem: 30029,
  isGrid: 30030,
  canInvoke: 30031,
  hasRange: 30033,
  canScroll: 30034,
  canScrollTo: 30035,
  isSelectable: 30036,
  hasText: 30040,
  canToggle: 30041,
  hasValue: 30043,
  value: 30045,
  valueReadOnly: 30046,
  range: 30047,
  rangeReadOnly: 30048,
  rangeFrom: 30049,
  rangeTo: 30050,
  scrolled: 30055,
  severalSelectable: 30060,
  rows: 30062,
  columns: 30063,
  row: 30064,
  column: 30065,
  expandState: 30070,
  modal: 30077,
  selected: 30079,
  toggleState: 30086,
} as const
/** Properties whose changes are told of. */
export const CHANGING: readonly number[] = [
  PROPERTY.name,
  PROPERTY.enabled,
  PROPERTY.offscreen,
  PROPERTY.value,
  PROPERTY.range,
  PROPERTY.expandState,
  PROPERTY.selected,
  PROPERTY.toggleState,
]
export type PropertyName = keyof typeof PROPERTY
