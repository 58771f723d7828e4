import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'
import { DeskhandError, schemaProblem } from '@deskhand/core/errors'
import { DesktopKind, Mode } from '@deskhand/core/model/principal'
import { PYTHON_TIMEOUT } from '@deskhand/core/model/python-timeout'
import { configFiles, DEFAULTS, NAME } from './defaults.ts'
import { DriverEntry } from './drivers/entry.ts'
import { LEVELS } from './http/log.ts'
import { TOOLSETS } from './tools/toolsets.ts'

/** A program that is told news, a webhook, or both. */
const Way = z.strictObject({
  command: z.tuple([z.string().min(1)], z.string()).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** The variable of the environment that holds the secret with which news is signed. */
  secretEnv: z.string().min(1).optional(),
  /** Whether the news says what is asked. */
  contents: z.boolean().default(false),
})

/** deskhand.toml. Every field has a default; environment variables and flags go on top. */
export const Config = z.strictObject({
  desktop: z
    .strictObject({
      kind: DesktopKind.default(DEFAULTS.kind),
      /** Names the broker: one per desktop. */
      name: z.string().regex(NAME).optional(),
      /** What the simulated desktop shows. */
      ui: z.string().optional(),
      /** The id of a sandbox that is already up. */
      sandbox: z.string().optional(),
      width: z.number().int().min(320).max(16_384).default(1280),
      height: z.number().int().min(240).max(16_384).default(800),
      /** A sandbox file in the shape of gui-enabled.yaml; its resolution goes before width and height. */
      file: z.string().optional(),
      /** The display server of a sandbox. */
      display: z.enum(['x11', 'wayland']).default('x11'),
      /** Lock up the applications of a sandbox: no network, a home of their own, a read-only system. */
      isolate: z.boolean().default(false),
      /** What is done about input that other programs inject: nothing, it is told, or it is swallowed where the system lets that be done. */
      airbag: z.enum(['off', 'audit_only', 'enforce']).default('off'),
      /** Programs into whose windows others may inject input all the same, by the names of their files. */
      airbagExcept: z.array(z.string().regex(/^[^|\\/:*?"<>]+$/, 'is no name of a file')).default([]),
      /** Whether a border on a person's own screen shows that agents act, wait or are paused there; on X11. */
      sign: z.boolean().default(true),
      /** What agents may start and close: globs on the executable's name, or on its path where they hold a slash. */
      apps: z.array(z.string().min(1)).optional(),
    })
    .prefault({}),
  policy: z
    .strictObject({
      preset: z.string().optional(),
      files: z.array(z.string()).default([]),
      admin: z.array(z.string()).default([]),
      mode: Mode.default('simulation_only'),
      nonInteractive: z.enum(['fail', 'deny', 'allow']).default('fail'),
      /** Agents, by the name of their token, whose MCP client is trusted to put questions before a person and to bring back the answer. */
      trustedClients: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  automation: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
  approvals: z
    .strictObject({ expirySeconds: z.number().min(1).default(300), waitSeconds: z.number().min(0).default(DEFAULTS.waitSeconds) })
    .prefault({}),
  journal: z
    .strictObject({
      durability: z.enum(['real', 'none']).optional(),
      /** Where the head of the journal is kept a second time: a file elsewhere, a command, or a URL. */
      anchor: z
        .union([
          z.strictObject({ file: z.string().min(1) }),
          z.strictObject({ command: z.tuple([z.string().min(1)], z.string()) }),
          z.strictObject({ url: z.url({ protocol: /^https?$/ }) }),
        ])
        .optional(),
      /** Older segments than this, or more than this, are removed, which leaves a signed statement. */
      keepDays: z.number().min(1).optional(),
      keepMegabytes: z.number().min(1).optional(),
    })
    .prefault({}),
  /** Where the key lies that rules with evidence = "encrypted" need: an owner-only file, or a variable of the environment. */
  evidence: z
    .strictObject({
      keyFile: z.string().min(1).optional(),
      keyEnv: z.string().min(1).optional(),
      keepDays: z.number().min(1).optional(),
      keepMegabytes: z.number().min(1).optional(),
    })
    .refine((e) => e.keyFile === undefined || e.keyEnv === undefined, 'takes either keyFile or keyEnv')
    .prefault({}),
  /** What happens when a person uses pointer or keyboard while an agent works. */
  human: z
    .strictObject({
      /** off, audit (record it) or enforce (the agent pauses, too). Unset: enforce in a sandbox, off elsewhere. */
      mode: z.enum(['off', 'audit', 'enforce']).optional(),
      /** After so long without their input the agent goes on. */
      idleSeconds: z.number().min(0.1).max(3600).default(3),
      /** How long a call without a deadline of its own waits for them. */
      waitSeconds: z.number().min(0).max(3600).default(20),
      /** The pointer in a corner of the screen, moved there by a person, stops everything. Unset: on a real desktop. */
      corner: z.boolean().optional(),
      /** Whether what an operator copies elsewhere reaches the clipboard of the desktop through its picture. */
      clipboard: z.boolean().default(false),
    })
    .prefault({}),
  /** Whether pictures show windows of applications that have no accessibility tree to tell password fields by. Unset: not on a host. */
  privacy: z.strictObject({ treeless: z.enum(['mask', 'show']).optional() }).prefault({}),
  /** What agents may find by its looks. */
  vision: z
    .strictObject({
      /** Folders of PNG files that image: selectors and scripts may look for. */
      images: z.array(z.string().min(1)).default([]),
      /** The model that gui_analyze_screen asks; without it the answer comes from elements and text. Its key is in the environment. */
      model: z
        .strictObject({
          provider: z.enum(['openai', 'anthropic']),
          model: z.string().min(1),
          baseUrl: z
            .string()
            .regex(/^https?:\/\//)
            .optional(),
          keyEnv: z.string().min(1).optional(),
          timeoutSeconds: z.number().min(1).max(600).default(60),
        })
        .optional(),
      /** What is written on the screen, by two letters; English and Chinese are always read. */
      languages: z.array(z.string().regex(/^[a-z]{2}$/)).default(['en']),
    })
    .prefault({}),
  /** What the simulated desktop's agent may do beside input. */
  avis: z
    .strictObject({
      can_execute_code: z.boolean().default(true),
      can_read_sim_hw_status: z.boolean().default(true),
      /** Folders or files of the project that may be run by name. Unset: all of it. */
      allowed_execution_paths: z.array(z.string().min(1)).optional(),
      /** Ends code earlier than `python.timeout` does. */
      max_execution_time_ms: z.int().min(1).optional(),
      /** What a simulated desktop shows as its hardware: a machine that is always the same, or this one. */
      hardware: z.enum(['simulated', 'machine']).default('simulated'),
    })
    .prefault({}),
  /** `system` is the host's own Python in a jail, with the host's packages; it asks. */
  python: z
    .strictObject({
      timeout: z.number().min(PYTHON_TIMEOUT.min).max(PYTHON_TIMEOUT.max).default(PYTHON_TIMEOUT.usual),
      engine: z.enum(['bundled', 'system']).default('bundled'),
      /** The folder that python.run may read, without what is private in it. Unset: none. */
      project: z.string().min(1).optional(),
    })
    .prefault({}),
  /** Whose extensions may be added and used; any that an operator added where this is empty. */
  extensions: z.strictObject({ keys: z.array(z.string().regex(/^ed25519:[\w-]{43}$/)).default([]) }).prefault({}),
  /** Where counts and traces are sent; nothing leaves while this is unset. */
  telemetry: z
    .strictObject({
      /** The address of an OTLP receiver, as http://127.0.0.1:4318. */
      otlp: z.url({ protocol: /^https?$/ }).optional(),
      /** How often counts are sent. */
      seconds: z.number().min(1).max(3600).default(30),
    })
    .prefault({}),
  /** The folder of the playbooks that agents may run by name. Unset: `playbooks` in the state folder. */
  playbooks: z.string().min(1).optional(),
  /** Whose tools are listed for models: every one costs tokens. What is left out can still be called by its name. */
  toolsets: z
    .array(z.enum(TOOLSETS))
    .min(1)
    .default([...DEFAULTS.toolsets]),
  /** The address of `deskhand up` for agents, programs and browsers. */
  server: z
    .strictObject({
      /** Anything but the loopback needs TLS, or a proxy that `hosts` names. */
      host: z.string().min(1).default('127.0.0.1'),
      /** Another free one is taken where this one is in use and was not asked for; 0 is any. */
      port: z.int().min(0).max(65_535).optional(),
      tlsCert: z.string().min(1).optional(),
      tlsKey: z.string().min(1).optional(),
      /** Names under which a proxy or a certificate shows this server, as host or host:port. */
      hosts: z.array(z.string().min(1)).default([]),
      /** Pages of others that may show the picture to holders of a viewer's token, as https://host. */
      origins: z.array(z.url({ protocol: /^https?$/ })).default([]),
      log: z.enum(LEVELS).default('error'),
      /** Who is told that a question waits, all of them at once. */
      notify: z
        .array(Way)
        .max(16)
        .or(Way.transform((way) => [way]))
        .default([]),
    })
    .refine((s) => (s.tlsCert === undefined) === (s.tlsKey === undefined), 'takes both tlsCert and tlsKey, or neither')
    .prefault({}),
  /** Drivers of others that serve this desktop beside its own: MCP servers, which are not trusted. */
  drivers: z
    .array(DriverEntry)
    .max(8)
    .refine((drivers) => new Set(drivers.map((d) => d.name)).size === drivers.length, 'has a name twice')
    .default([]),
  /** Where Deskhand keeps its own: sockets, tokens, journals. */
  state: z.string().optional(),
  /** The file that all this was read from; set by `loadConfig`. */
  file: z.string().optional(),
})
export type Config = z.output<typeof Config>
export type ConfigInput = z.input<typeof Config>

/** Reads the file named by a flag or DESKHAND_CONFIG, else ./deskhand.toml, else the user's; absent files are no error unless named. */
export function loadConfig(options: { file?: string; flags?: ConfigInput; env?: NodeJS.ProcessEnv } = {}): Config {
  const { env = process.env } = options
  const { required, files } = configFiles(options.file, env)
  for (const file of files) {
    const text = readText(file, required)
    if (text !== undefined) return validate(file, parseToml(file, text), options.flags, env)
  }
  return validate(undefined, {}, options.flags, env)
}

/** A broker's name: given, or the kind of its desktop. */
export const nameOf = (config: Config): string => config.desktop.name ?? config.desktop.kind

function validate(file: string | undefined, raw: Record<string, unknown>, flags: ConfigInput | undefined, env: NodeJS.ProcessEnv): Config {
  const merged = merge(merge(raw, fromEnv(env)), flags ?? {})
  const read = Config.safeParse(merged)
  if (!read.success) throw new DeskhandError('BAD_CONFIG', `${file ?? 'configuration'}: ${schemaProblem(read.error, 'the file')}`)
  const config = read.data
  config.file = file
  if (file === undefined) return config
  const here = (p: string): string => resolve(dirname(file), p)
  config.policy.files = config.policy.files.map(here)
  config.policy.admin = config.policy.admin.map(here)
  config.vision.images = config.vision.images.map(here)
  for (const key of ['tlsCert', 'tlsKey'] as const) {
    const path = config.server[key]
    if (path !== undefined) config.server[key] = here(path)
  }
  if (config.evidence.keyFile !== undefined) config.evidence.keyFile = here(config.evidence.keyFile)
  const { anchor } = config.journal
  if (anchor !== undefined && 'file' in anchor) anchor.file = here(anchor.file)
  if (config.playbooks !== undefined) config.playbooks = here(config.playbooks)
  if (config.python.project !== undefined) config.python.project = here(config.python.project)
  for (const key of ['ui', 'file'] as const) {
    const path = config.desktop[key]
    if (path !== undefined && flags?.desktop?.[key] === undefined) config.desktop[key] = here(path)
  }
  return config
}

/** What the environment may set: where things are, never what is allowed. */
function fromEnv(env: NodeJS.ProcessEnv): Record<string, unknown> {
  return env['DESKHAND_NAME'] === undefined ? {} : { desktop: { name: env['DESKHAND_NAME'] } }
}

function merge(base: Record<string, unknown>, top: Record<string, unknown>): Record<string, unknown> {
  const out = { ...base }
  for (const [key, value] of Object.entries(top)) {
    if (value === undefined) continue
    const under = out[key]
    out[key] = isTable(value) && isTable(under) ? merge(under, value) : value
  }
  return out
}

const isTable = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v)

function parseToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    throw new DeskhandError('BAD_CONFIG', `${file}:${cause.line}: ${cause.message.split('\n')[0]}`)
  }
}

function readText(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (!required) return undefined
    throw new DeskhandError('BAD_CONFIG', `cannot read ${file}`, { cause })
  }
}
