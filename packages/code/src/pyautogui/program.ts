import type { StmtNode } from 'py-ast'

/** Which names a function, lambda or comprehension owns. */
export interface Scope {
  locals: Set<string>
  globals: Set<string>
  kind: 'module' | 'function' | 'comprehension'
}

/** A script that passed every check: only such a one is ever interpreted. */
export interface Program {
  source: string
  body: readonly StmtNode[]
  /** The names that stand for modules, and which. */
  modules: ReadonlyMap<string, ModuleName>
  scopes: ReadonlyMap<object, Scope>
  /** The numbers, by their node: the tree does not tell 1.0 from 1. */
  numbers: ReadonlyMap<object, bigint | number>
}

export const MODULE_NAMES = ['pyautogui', 'time', 'pyperclip', 'random', 'math'] as const
export type ModuleName = (typeof MODULE_NAMES)[number]
export const isModule = (name: string): name is ModuleName => MODULE_NAMES.some((m) => m === name)
