import type { ScriptSession } from '../script-session.ts'
import { error, FAIL_SAFE, IMAGE_NOT_FOUND, PYAUTOGUI_EXCEPTION, PYPERCLIP_EXCEPTION } from '../interp/exceptions.ts'
import { asFloat, truthy, typeName } from '../interp/types.ts'
import { PyApi, PyList, type Value } from '../interp/values.ts'
import type { ModuleName } from '../program.ts'
import { DIALOGS } from './dialogs.ts'
import type { ApiFunction } from './function.ts'
import { KEYBOARD } from './keyboard.ts'
import { KEY_NAMES } from './keys.ts'
import { LOCATE } from './locate.ts'
import { MATH, MATH_CONSTANTS } from './math.ts'
import { MOUSE } from './mouse.ts'
import { RANDOM } from './random.ts'
import { SCREEN } from './screen.ts'
import { COUNTDOWN, PYPERCLIP, SLEEP, TIME } from './time.ts'
import { TWEENS } from './tweens.ts'

type SettingName = keyof ScriptSession['settings']

/** Everything that scripts can reach by a module's name. */
const FUNCTIONS: Readonly<Record<ModuleName, ReadonlyMap<string, ApiFunction>>> = {
  pyautogui: new Map([...MOUSE, ...KEYBOARD, ...SCREEN, ...LOCATE, ...DIALOGS, ...TWEENS, ['sleep', SLEEP], ['countdown', COUNTDOWN]]),
  time: TIME,
  pyperclip: PYPERCLIP,
  random: RANDOM,
  math: MATH,
}

const SETTINGS: readonly SettingName[] = ['PAUSE', 'FAILSAFE', 'MINIMUM_DURATION', 'MINIMUM_SLEEP']

const CONSTANTS: Readonly<Record<ModuleName, ReadonlyMap<string, () => Value>>> = {
  pyautogui: new Map<string, () => Value>([
    ['LEFT', () => 'left'],
    ['MIDDLE', () => 'middle'],
    ['RIGHT', () => 'right'],
    ['PRIMARY', () => 'primary'],
    ['SECONDARY', () => 'secondary'],
    ['KEY_NAMES', () => new PyList([...KEY_NAMES])],
    ['KEYBOARD_KEYS', () => new PyList([...KEY_NAMES])],
    ['PyAutoGUIException', () => PYAUTOGUI_EXCEPTION],
    ['FailSafeException', () => FAIL_SAFE],
    ['ImageNotFoundException', () => IMAGE_NOT_FOUND],
  ]),
  time: new Map(),
  pyperclip: new Map([['PyperclipException', () => PYPERCLIP_EXCEPTION]]),
  random: new Map(),
  math: new Map([...MATH_CONSTANTS].map(([name, value]) => [name, () => value])),
}

const OFFERS = new Map<ModuleName, ReadonlySet<string>>()
for (const module of ['pyautogui', 'time', 'pyperclip', 'random', 'math'] as const) {
  OFFERS.set(module, new Set([...FUNCTIONS[module].keys(), ...CONSTANTS[module].keys(), ...(module === 'pyautogui' ? SETTINGS : [])]))
}
const NOTHING: ReadonlySet<string> = new Set()
const SETTABLE: ReadonlySet<string> = new Set(SETTINGS)

export const offers = (module: ModuleName): ReadonlySet<string> => OFFERS.get(module) ?? NOTHING
export const settable = (module: ModuleName): ReadonlySet<string> => (module === 'pyautogui' ? SETTABLE : NOTHING)
export const findFunction = (module: ModuleName, name: string): ApiFunction | undefined => FUNCTIONS[module].get(name)

/** `module.name` as a value. */
export function readMember(session: ScriptSession, module: ModuleName, name: string): Value {
  if (FUNCTIONS[module].has(name)) return new PyApi(module, name)
  const constant = CONSTANTS[module].get(name)
  if (constant) return constant()
  const setting = settingOf(module, name)
  if (setting) return session.given.get(setting) ?? session.settings[setting]
  throw error('AttributeError', `module '${module}' has no attribute '${name}'`)
}

/** `pyautogui.PAUSE = value`. Switching the fail-safe off only lets the script itself use the corners; an operator's stop stays. */
export function writeMember(session: ScriptSession, module: ModuleName, name: string, value: Value): void {
  const setting = settingOf(module, name)
  if (!setting) throw error('AttributeError', `${module}.${name} cannot be set`)
  if (setting === 'FAILSAFE') {
    session.settings.FAILSAFE = truthy(value)
    session.given.set(setting, value)
    return
  }
  const seconds = asFloat(value)
  if (seconds === undefined || !(seconds >= 0))
    throw error('ValueError', `pyautogui.${name} must be a number of seconds, not ${typeName(value)}`)
  session.settings[setting] = seconds
  session.given.set(setting, value)
}

function settingOf(module: ModuleName, name: string): SettingName | undefined {
  return module === 'pyautogui' ? SETTINGS.find((s) => s === name) : undefined
}
