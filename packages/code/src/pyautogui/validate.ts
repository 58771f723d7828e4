import { DeskhandError } from '@deskhand/core/errors'
import { parse, type Module } from 'py-ast'
import { offers, settable } from './api/modules.ts'
import { BUILTINS } from './interp/builtins.ts'
import { PROFILES, type Profile, type ProfileName } from './profile.ts'
import { isModule, type ModuleName, type Program } from './program.ts'
import type { Checking } from './syntax/checking.ts'
import { complaint } from './syntax/complaints.ts'
import { checkIndentation } from './syntax/indentation.ts'
import { closest, instead } from './syntax/names.ts'
import { scan } from './syntax/scan.ts'
import { findScopes, type Scopes } from './syntax/scopes.ts'
import { rejection, Source } from './syntax/source.ts'
import { checkModule } from './syntax/statements.ts'

export interface ValidateOptions {
  /** `agent` when left out. */
  profile?: ProfileName
}

/** Returns when the script may run; otherwise throws BAD_SCRIPT with the line, the column and the reason. */
export function validateScript(script: string, options: ValidateOptions = {}): void {
  compile(script, options)
}

/** Parses and checks the whole script; nothing runs before all of it has passed. */
export function compile(script: string, { profile: name = 'agent' }: ValidateOptions = {}): Program {
  if (typeof script !== 'string') throw rejection(1, 1, 'a script is text')
  const profile = PROFILES[name]
  const text = script.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  scan(text)
  const source = new Source(text)
  const { body } = parseText(source)
  checkIndentation(source, body)
  const found = findScopes(source, body, (module) => (isModule(module) ? [...offers(module)] : []))
  const modules = findModules(source, profile, found)
  const checking: Checking = { source, profile, modules, offers, settable, numbers: new Map(), nodes: 0 }
  checkModule(checking, body)
  checkFree(source, profile, modules, found)
  return { source: text, body, modules, scopes: new Map([...found.scopes, [body, found.module]]), numbers: checking.numbers }
}

function parseText(source: Source): Module {
  try {
    return parse(source.text)
  } catch (thrown) {
    throw syntaxError(source, thrown)
  }
}

function syntaxError(source: Source, thrown: unknown): DeskhandError {
  if (thrown instanceof RangeError) return rejection(1, 1, 'the script nests too deeply; use variables and functions')
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const [, line] = /at line (\d+)/.exec(message) ?? []
  const [, column] = /column (\d+)/.exec(message) ?? []
  const reason = message.replace(/\s*at line \d+(?:, column \d+)?/, '').slice(0, 200)
  const at = { lineno: Number(line ?? 1), col_offset: Number(column ?? 0) }
  return source.reject(at, `this is not valid Python: ${complaint(source, reason, at)}`)
}

/** Modules by their local name: the imported ones, and those available without an import. */
function findModules(source: Source, profile: Profile, { imports, bound }: Scopes): Map<string, ModuleName> {
  const modules = new Map<string, ModuleName>()
  for (const name of profile.modules) if (!bound.has(name) || name === 'pyautogui' || name === 'time') modules.set(name, name)
  for (const [local, { module, node }] of imports) {
    if (isModule(local) && local !== module) throw source.reject(node, `'${local}' is the module ${local} here; choose another name`)
    if (isModule(module)) modules.set(local, module)
  }
  for (const [local, module] of modules) {
    const node = bound.get(local)
    if (node) throw source.reject(node, `'${local}' is the module ${module} here; choose another name`)
  }
  return modules
}

/** Refuses names that nothing binds before the script runs. */
function checkFree(source: Source, profile: Profile, modules: ReadonlyMap<string, ModuleName>, { free, bound }: Scopes): void {
  for (const { name, node } of free) {
    if (modules.has(name)) continue
    if (BUILTINS.has(name) && (!profile.builtins || profile.builtins.has(name))) continue
    const known = [...bound.keys(), ...(profile.builtins ?? BUILTINS.keys()), ...modules.keys()]
    throw source.reject(node, `the name ${name} is not available${instead(name) || member(name, profile) || closest(name, known)}`)
  }
}

/** Advice for a function that was called without its module. */
function member(name: string, profile: Profile): string {
  const module = profile.modules.find((m) => offers(m).has(name))
  return module === undefined ? '' : `; write ${module}.${name}`
}
