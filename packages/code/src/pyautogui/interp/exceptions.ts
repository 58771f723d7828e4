import type { Machine } from './machine.ts'
import { PyException, PyType, type Kwargs, type Value } from './values.ts'

/** A Python exception, as thrown through the interpreter. */
export class PyError extends Error {
  readonly exception: PyException
  /** Where it was raised; filled in by the statement it passes first. */
  line = 0

  constructor(exception: PyException) {
    // The JavaScript stack is of no use here, and recording it would be most of the cost of an exception.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(exception.type.name)
    Error.stackTraceLimit = limit
    this.exception = exception
  }
}

const TREE = {
  BaseException: '',
  Exception: 'BaseException',
  KeyboardInterrupt: 'BaseException',
  SystemExit: 'BaseException',
  ArithmeticError: 'Exception',
  OverflowError: 'ArithmeticError',
  ZeroDivisionError: 'ArithmeticError',
  AssertionError: 'Exception',
  AttributeError: 'Exception',
  EOFError: 'Exception',
  ImportError: 'Exception',
  ModuleNotFoundError: 'ImportError',
  LookupError: 'Exception',
  IndexError: 'LookupError',
  KeyError: 'LookupError',
  MemoryError: 'Exception',
  NameError: 'Exception',
  UnboundLocalError: 'NameError',
  OSError: 'Exception',
  ConnectionError: 'OSError',
  FileNotFoundError: 'OSError',
  PermissionError: 'OSError',
  TimeoutError: 'OSError',
  RuntimeError: 'Exception',
  NotImplementedError: 'RuntimeError',
  RecursionError: 'RuntimeError',
  StopIteration: 'Exception',
  TypeError: 'Exception',
  ValueError: 'Exception',
  UnicodeError: 'ValueError',
} as const

type ExceptionName = keyof typeof TREE

const types = new Map<string, PyType>()

/** The exception types that a script may name. */
export const EXCEPTIONS: ReadonlyMap<string, PyType> = types

for (const [name, base] of Object.entries(TREE))
  types.set(name, new PyType(name, types.get(base), (m, args, kwargs) => make(m, find(name), args, kwargs)))
types.set('IOError', builtin('OSError'))
types.set('EnvironmentError', builtin('OSError'))

export const PYAUTOGUI_EXCEPTION = apiException('PyAutoGUIException', builtin('Exception'), 'pyautogui')
export const FAIL_SAFE = apiException('FailSafeException', PYAUTOGUI_EXCEPTION, 'pyautogui')
export const IMAGE_NOT_FOUND = apiException('ImageNotFoundException', PYAUTOGUI_EXCEPTION, 'pyautogui')
export const PYPERCLIP_EXCEPTION = apiException('PyperclipException', builtin('RuntimeError'), 'pyperclip')

/** An error to throw, by the name of a built-in type. */
export function error(name: ExceptionName, message: string): PyError {
  return raise(builtin(name), message)
}

/** An error to throw, of any exception type. */
export function raise(type: PyType, ...args: Value[]): PyError {
  return new PyError(new PyException(type, args))
}

export function isSubtype(type: PyType, of: PyType): boolean {
  for (let t: PyType | undefined = type; t; t = t.base) if (t === of) return true
  return false
}

export function builtin(name: ExceptionName): PyType {
  return find(name)
}

function find(name: string): PyType {
  const type = types.get(name)
  if (!type) throw new Error(`no exception type ${name}`)
  return type
}

function make(m: Machine, type: PyType, args: readonly Value[], kwargs: Kwargs): PyException {
  m.budget.object('exception')
  if (kwargs.size > 0) throw error('TypeError', `${type.name}() takes no keyword arguments`)
  return new PyException(type, args)
}

function apiException(name: string, base: PyType, module: string): PyType {
  const type: PyType = new PyType(name, base, (m, args, kwargs) => make(m, type, args, kwargs), module)
  return type
}
