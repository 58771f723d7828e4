import type { ExprNode, StmtNode } from 'py-ast'
import { MODULE_NAMES, type ModuleName } from './program.ts'

type Kind = StmtNode['nodeType'] | ExprNode['nodeType']

/** What a script may contain. */
export interface Profile {
  kinds: ReadonlySet<Kind>
  modules: readonly ModuleName[]
  /** The built-ins it may use; undefined for all. */
  builtins: ReadonlySet<string> | undefined
  /** The functions of `time` it may use; undefined for all. */
  time: ReadonlySet<string> | undefined
  methods: boolean
}

// oxfmt-ignore
const STRICT: readonly Kind[] = [
  'Expr', 'Assign', 'AugAssign', 'If', 'For', 'While', 'Break', 'Continue', 'Pass', 'Constant', 'Name', 'BinOp',
  'UnaryOp', 'BoolOp', 'Compare', 'List', 'Tuple', 'Dict', 'Subscript', 'Slice', 'Call', 'Attribute',
]

// oxfmt-ignore
const AGENT: readonly Kind[] = [
  ...STRICT, 'AnnAssign', 'FunctionDef', 'Return', 'Try', 'Raise', 'Assert', 'With', 'Delete', 'Import',
  'ImportFrom', 'Global', 'Nonlocal', 'IfExp', 'NamedExpr', 'JoinedStr', 'FormattedValue', 'Set', 'ListComp',
  'SetComp', 'DictComp', 'GeneratorExp', 'Lambda', 'Starred',
]

/** `strict`: literals, if, for, while, range, pyautogui and time.sleep. `agent`: everything the interpreter has. */
export const PROFILES = {
  strict: {
    kinds: new Set(STRICT),
    modules: ['pyautogui', 'time'],
    builtins: new Set(['range']),
    time: new Set(['sleep']),
    methods: false,
  },
  agent: { kinds: new Set(AGENT), modules: MODULE_NAMES, builtins: undefined, time: undefined, methods: true },
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof PROFILES

const WHY: Partial<Record<Kind | 'JoinedStr', string>> = {
  ClassDef: 'classes are not available; use functions, dicts and tuples',
  AsyncFunctionDef: 'async is not available; calls already wait for their end',
  AsyncFor: 'async is not available; calls already wait for their end',
  AsyncWith: 'async is not available; calls already wait for their end',
  Await: 'await is not available; calls already wait for their end',
  Yield: 'yield is not available; collect into a list',
  YieldFrom: 'yield is not available; collect into a list',
  Match: 'match is not available; use if and elif',
  TryStar: 'except* is not available; use except',
  TypeAlias: 'type aliases are not available; leave them out',
  TemplateStr: 'template strings are not available; use an f-string',
  Interpolation: 'template strings are not available; use an f-string',
  Import: 'imports are not allowed; pyautogui and time are there already',
  ImportFrom: 'imports are not allowed; pyautogui and time are there already',
}

/** Why a kind of node is refused. */
export const refusal = (kind: Kind): string => WHY[kind] ?? `${kind} is not allowed in this profile`
