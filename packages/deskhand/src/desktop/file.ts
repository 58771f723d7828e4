import { closeSync, openSync, readSync } from 'node:fs'
import { LineCounter, isMap, isScalar, parseDocument, visit, type Document, type Scalar, type YAMLError } from 'yaml'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { nearest } from '@deskhand/core/model'
import { isReserved } from './environment.ts'
import type { Startup } from './record.ts'
import { SCREENS, StartupProblem, isScreen, sortStartup } from './startup.ts'

/** What a sandbox file asks for, as far as it can be had here. */
export interface SandboxFile {
  name?: string
  size?: { width: number; height: number }
  environment: Record<string, string>
  startup: Startup[]
  vnc: boolean
  apt: string[]
  /** What was understood and is done otherwise, or not at all. */
  warnings: string[]
}

/** Reads a file in the shape of gui-enabled.yaml. Throws BAD_CONFIG that names file, line and field. */
export function readSandboxFile(file: string): SandboxFile {
  let text: string
  try {
    text = readSome(file)
  } catch (cause) {
    throw new DeskhandError('BAD_CONFIG', `cannot read ${file}`, {
      next: 'Correct the path, or leave --file out for the desktop that is built in.',
      cause,
    })
  }
  return parseSandboxFile(text, file)
}

export function parseSandboxFile(text: string, file: string): SandboxFile {
  const lines = new LineCounter()
  const refuse = (line: number | undefined, message: string): DeskhandError =>
    new DeskhandError('BAD_CONFIG', `${file}${line === undefined ? '' : `:${line}`}: ${message}`, {
      next: 'Correct the sandbox file at the named field.',
    })
  if (text.length > LARGEST) throw refuse(undefined, `is larger than ${LARGEST} characters`)
  const doc = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, logLevel: 'error' })
  const [error] = doc.errors
  if (error !== undefined) throw refuse(error.linePos?.[0].line, wordsOf(error))
  // What is written is meant: 1.10 is no 1.1, and 007 no 7.
  visit(doc, { Scalar: (_, node) => void (isWritten(node) && (node.value = node.source)) })
  const read = Shape.safeParse(toPlain(doc, refuse))
  if (!read.success) {
    const { path, message } = problem(read.error.issues[0])
    throw refuse(lineOf(doc, path, lines), `${fieldOf(path)}: ${message}`)
  }
  try {
    return understand(read.data)
  } catch (thrown) {
    if (!(thrown instanceof StartupProblem)) throw thrown
    const path = ['startup', thrown.at]
    throw refuse(lineOf(doc, path, lines), `${fieldOf(path)}: ${thrown.message}`)
  }
}

const LARGEST = 100_000

/** As much of a file as could be one; some files have no end. */
function readSome(file: string): string {
  const from = openSync(file, 'r')
  try {
    const data = Buffer.alloc(LARGEST * 4)
    let size = 0
    for (let read = -1; read !== 0 && size < data.length; size += read) read = readSync(from, data, size, data.length - size, null)
    return data.toString('utf8', 0, size)
  } finally {
    closeSync(from)
  }
}

const isWritten = (node: Scalar): boolean => node.source !== undefined && ['number', 'bigint', 'boolean'].includes(typeof node.value)

const wordsOf = ({ code, message }: YAMLError): string =>
  code === 'MULTIPLE_DOCS'
    ? 'holds more than one document'
    : (message.split('\n')[0]?.replace(/ at line \d+, column \d+:$/, '') ?? 'is no YAML')

const DebianPackage = z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'is no name of a Debian package')
const Resolution = z
  .string()
  .regex(/^\d+x\d+(x24)?$/i, 'must be as 1920x1080; the depth is always 24')
  .transform((text, ctx) => {
    const [width = 0, height = 0] = text.toLowerCase().split('x').map(Number)
    if (isScreen({ width, height })) return { width, height }
    ctx.addIssue({ code: 'custom', message: SCREENS })
    return z.NEVER
  })

const Shape = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.][\w.-]{0,39}$/, 'must be 1 to 40 letters, digits, dots, dashes and underscores, and begin with no dash')
    .optional(),
  base_image: z.string().nullish(),
  packages: z.strictObject({ apt: z.array(DebianPackage).nullish(), pip: z.array(z.string()).nullish() }).nullish(),
  environment: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, 'is no name of a variable'),
      z.string({ error: 'must be a text, a number, true or false' }).refine((v) => !v.includes('\0'), 'holds a NUL'),
    )
    .nullish(),
  startup: z.array(z.string().refine((line) => !line.includes('\0'), 'holds a NUL')).nullish(),
  resolution: Resolution.optional(),
})

function understand(read: z.output<typeof Shape>): SandboxFile {
  const warnings: string[] = []
  if (read.base_image)
    warnings.push(`base_image: ${read.base_image} is not used: the desktop is no container, its programs are those of this machine`)
  const pip = read.packages?.pip ?? []
  if (pip.length > 0)
    warnings.push(
      `packages.pip: ${pip.join(', ')} ${pip.length === 1 ? 'is' : 'are'} not installed; Deskhand runs scripts that use pyautogui by itself`,
    )
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(read.environment ?? {})) {
    if (!isReserved(name)) environment[name] = value
    else warnings.push(`environment.${name}: ${reason(name, value)}`)
  }
  const { screen, startup, vnc, warnings: more } = sortStartup(read.startup ?? [])
  return {
    name: read.name,
    size: read.resolution ?? screen,
    environment,
    startup,
    vnc,
    apt: read.packages?.apt ?? [],
    warnings: [...warnings, ...more],
  }
}

function reason(name: string, value: string): string {
  if (name === 'DBUS_SESSION_BUS_ADDRESS' && value.includes('system_bus'))
    return "the system's bus is never lent to a desktop; it has its own session bus"
  return `${value} is not used: the desktop sets this itself`
}

/** Aliases that would blow up are an error like any other. */
function toPlain(doc: Document, refuse: (line: undefined, message: string) => DeskhandError): unknown {
  try {
    return (doc.toJS() as unknown) ?? {}
  } catch (thrown) {
    throw refuse(undefined, thrown instanceof Error ? thrown.message : String(thrown))
  }
}

function problem(issue: z.core.$ZodIssue | undefined): { path: PropertyKey[]; message: string } {
  if (issue === undefined) return { path: [], message: 'cannot be read' }
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const known = issue.path.length === 0 ? Object.keys(Shape.shape) : ['apt', 'pip']
    const meant = nearest(key, known)
    return {
      path: [...issue.path, key],
      message: `is no field of a sandbox file; ${meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`}`,
    }
  }
  if (issue.code === 'invalid_key') return { path: issue.path, message: issue.issues[0]?.message ?? issue.message }
  if (issue.code === 'invalid_type') return { path: issue.path, message: `must be ${WORDS[issue.expected] ?? issue.expected}` }
  return { path: issue.path, message: issue.message }
}

const WORDS: Readonly<Record<string, string>> = { string: 'a text', array: 'a list', object: 'a table', record: 'a table' }

const fieldOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'the file' : path.map((p, i) => (typeof p === 'number' ? `[${p}]` : `${i === 0 ? '' : '.'}${String(p)}`)).join('')

/** The line of a field: of its key where it has one, else of its value. */
function lineOf(doc: Document, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
  const parent: unknown = doc.getIn(path.slice(0, -1), true) ?? doc.contents
  const pair = isMap(parent) ? parent.items.find((i) => isScalar(i.key) && i.key.value === path.at(-1)) : undefined
  const node: unknown = pair?.key ?? doc.getIn(path, true)
  const range =
    typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range) ? Number(node.range[0]) : undefined
  return range === undefined ? undefined : lines.linePos(range).line
}
