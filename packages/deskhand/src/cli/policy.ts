import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { readEntries } from '@deskhand/core/journal'
import { DesktopKind, type Decision, type Explanation, type MethodInput } from '@deskhand/core/model'
import {
  checkApps,
  checkPolicyFile,
  decidedCalls,
  hasHiddenText,
  openPolicy,
  PRESETS,
  presetText,
  RateCounter,
  replayDecisions,
  type AppList,
  type Preset,
  type Redecided,
  type Setting,
} from '@deskhand/core/policy'
import { clip, json, visible } from '@deskhand/core/selector/quote'
import { explainCall, RULED } from '../operator/explain.ts'
import { open } from '../wiring/open.ts'
import { defaultPreset } from '../wiring/policy.ts'
import { parseJson } from './call-io.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'
import { operatorClient, placeOf } from './connect.ts'

/** Everything wrong or doubtful about a file or a folder of them, and about the applications that the configuration lists. */
export function check(common: Common, path: string, options: { admin?: boolean; json?: boolean }): void {
  const files = statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(path)
        .filter((f) => f.endsWith('.toml'))
        .map((f) => join(path, f))
    : [path]
  const problems = [
    ...files.flatMap((file) => checkPolicyFile(file, { tier: options.admin ? 'admin' : 'user', tools: RULED })),
    ...checkApps(appsOf(common)),
  ]
  const errors = problems.filter((p) => p.severity === 'error').length
  if (options.json) say(json(problems))
  else for (const p of problems) say(visible(`${p.file}:${p.line}: ${p.severity}: ${p.message}`))
  if (errors > 0)
    throw new DeskhandError('BAD_POLICY', `${errors === 1 ? 'one error keeps' : `${errors} errors keep`} ${path} from being loaded`)
  if (!options.json) say(`${path} can be loaded${problems.length > 0 ? `; ${problems.length} doubtful` : ''}`)
}

/** What the policy of the desktop that is up would say to an agent's call; without one, that of the configuration on the simulated desktop. */
export async function explain(
  common: Common,
  tool: string,
  args: string | undefined,
  options: { as: string; intent?: string; json?: boolean },
): Promise<void> {
  const { as, intent } = options
  const explanation = await ask(common, { tool, args: parseJson(args ?? '{}'), as, intent })
  if (options.json) return say(json(explanation))
  const { decision, risk, rules } = explanation
  say(visible(`${tool}: ${verdict(decision)}. ${decision.reason}`))
  say(`risk ${risk.level}, score ${risk.score}`)
  for (const f of risk.factors) say(visible(`  ${`+${f.weight}`.padStart(5)}  ${f.id}: ${f.detail}`))
  say('rules, the strongest first:')
  for (const rule of rules) say(visible(`  ${rule.won ? '>' : rule.matched ? '+' : '-'} ${rule.verdict.padEnd(8)}  ${rule.note}`))
}

async function ask(common: Common, call: MethodInput<'policy.explain'>): Promise<Explanation> {
  if ((await placeOf(common)) !== undefined) {
    const client = await operatorClient(common)
    try {
      return await client.invoke('policy.explain', call)
    } finally {
      await client.close()
    }
  }
  process.stderr.write('No broker runs; this is the simulated desktop of the configuration.\n')
  const desk = await open({
    config: { ...configOf(common), desktop: { ...configOf(common).desktop, kind: 'virtual' } },
    approve: async () => ({ allow: false }),
  })
  try {
    return await explainCall(desk, desk.policy(), call)
  } finally {
    await desk.close()
  }
}

/** What another policy would have decided about everything in a journal. */
export async function replay(
  common: Common,
  file: string,
  dir: string,
  options: { preset?: string; all?: boolean; json?: boolean; check?: boolean; nonInteractive?: boolean },
): Promise<void> {
  if (options.preset !== undefined && !isPreset(options.preset)) throw noPreset(options.preset)
  const apps = appsOf(common)
  let counts = { calls: 0, differ: 0, hidden: 0 }
  let policy: ReturnType<typeof openPolicy> | undefined
  let printed = 0
  const setting: Setting = {
    desktop: 'virtual',
    driver: 'virtual',
    mode: 'simulation_only',
    now: Date.now(),
    interactive: !options.nonInteractive,
    rates: new RateCounter(),
  }
  for await (const entry of readEntries(dir, { types: ['decided'] })) {
    if (entry.type !== 'decided') continue
    policy ??= openPolicy({
      preset: isPreset(options.preset) ? options.preset : defaultPreset(DesktopKind.catch('virtual').parse(entry.setting.desktop)),
      user: [file],
      apps,
    })
    for (const row of replayDecisions(policy, decidedCalls([entry]), { setting })) {
      counts = {
        calls: counts.calls + 1,
        differ: counts.differ + Number(row.differs),
        hidden: counts.hidden + Number(hasHiddenText(row.call)),
      }
      if (!row.differs && !options.all) continue
      if (!options.json && printed++ === 0) say(HEAD)
      say(options.json ? json(row) : table(row))
    }
  }
  if (counts.calls === 0)
    throw new DeskhandError('BAD_ARGS', `no calls are recorded in ${dir}`, {
      next: 'Name the folder of a journal; deskhand up --json prints it.',
    })
  if (!options.json)
    say(
      `${counts.calls} calls, ${counts.differ} decided differently${counts.hidden > 0 ? `; ${counts.hidden} with typed text that was not kept, to which rules on text could not be applied` : ''}`,
    )
  if (options.check && counts.differ > 0) process.exitCode = 1
}

/** A preset as it stands in its file; without a name, what there is. */
export function show(name: string | undefined): void {
  if (name === undefined) for (const preset of PRESETS) say(presetText(preset).split('\n')[0]?.replace(/^# /, '') ?? preset)
  else if (isPreset(name) || name === 'risk') process.stdout.write(presetText(name))
  else throw noPreset(name)
}

const HEAD = ` entry  ${'tool'.padEnd(14)}  ${'decision'.padEnd(24)}  ${'risk'.padEnd(10)}  rule and element`

function table({ call, was, now, risk, differs }: Redecided): string {
  const [target] = call.targets
  const what = target === undefined ? '' : `${target.role}${target.name === undefined ? '' : ` ${clip(target.name, 40)}`}`
  const rule = now.rule === undefined ? '' : `${now.rule.file}:${now.rule.line}`
  const change = `${verdict(was)}${differs ? ` -> ${verdict(now)}` : ''}`
  return visible(
    `${String(call.seq).padStart(6)}  ${call.tool.padEnd(14)}  ${change.padEnd(24)}  ${risk.level.padEnd(10)}  ${rule}  ${what}`,
  )
}

const verdict = (d: Decision): string =>
  d.verdict === 'deny' && d.code !== undefined && d.code !== 'DENIED' ? `deny (${d.code})` : d.verdict

function appsOf(common: Common): AppList {
  const { desktop, file } = configOf(common)
  return { apps: desktop.apps, file }
}

const isPreset = (name: string | undefined): name is Preset => PRESETS.some((p) => p === name)
const noPreset = (name: string): DeskhandError =>
  new DeskhandError('BAD_ARGS', `there is no preset ${name}`, { next: `Use one of ${PRESETS.join(', ')}.` })
const say = (line: string): void => void process.stdout.write(`${line}\n`)
