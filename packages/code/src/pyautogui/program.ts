import type { StmtNode } from 'py-ast'

/** Which names a function, lambda or comprehension owns. */
export interface Scope {
  locals: Set<string>
  globals: Set<string>
  kind: 'module' | 'function' | 'comprehension'
}

/** A script that passed every check; only programs are interpreted. */
export interface Program {
  source: string
  body: readonly StmtNode[]
  /** Modules by their name in the script. */
  modules: ReadonlyMap<string, ModuleName>
  scopes: ReadonlyMap<object, Scope>
  /** Numbers by their node, as the tree does not tell 1.0 from 1. */
  numbers: ReadonlyMap<object, bigint | number>
}

export const MODULE_NAMES = ['pyautogui', 'time', 'pyperclip', 'random', 'math'] as const
export type ModuleName = (typeof MODULE_NAMES)[number]
export const isModule = (name: string): name is ModuleName => MODULE_NAMES.some((m) => m === name)
