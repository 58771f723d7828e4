import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { validateScript } from '@deskhand/code/pyautogui'
import { checkPolicyFile, checkPolicyText, openPolicy, type Preset, type Subject } from '@deskhand/core/policy'
import { format, parse } from '@deskhand/core/selector'
import { call, inApp, judge, on, target } from '../../packages/core/test/policy-samples.ts'
import { Config } from '../../packages/deskhand/src/config.ts'
import { readManifest } from '../../packages/deskhand/src/extension/manifest.ts'
import { RULED } from '../../packages/deskhand/src/operator/explain.ts'
import { readPlaybook } from '../../packages/deskhand/src/playbook/steps.ts'
import { Secrets } from '../../packages/deskhand/src/secrets/secrets.ts'
import { plainTool } from '../../packages/deskhand/src/tools/batch.ts'
import { toolNamed } from '../../packages/deskhand/src/tools/list.ts'
import { open, rehearse } from 'deskhand'
import { parse as parseToml } from 'smol-toml'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
]

const blocks = (language: string): [page: string, code: string][] =>
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, lang, code]): [string, string][] =>
      lang === language ? [[page, code ?? '']] : [],
    ),
  )

test.each(
  blocks('selector').flatMap(([page, code]) =>
    code
      .trim()
      .split('\n')
      .map((line) => [page, line] as const),
  ),
)('%s: %s is a selector', (_, line) => {
  expect(parse(format(parse(line)))).toEqual(parse(line))
})

/** The settings of clients are another's; a test of their own connects by them. */
const isOurs = (code: string): boolean => !code.includes('[mcp_servers.')

test.each(blocks('toml').filter(([page, code]) => page !== 'docs/policy.md' && isOurs(code)))(
  'the settings in %s are settings',
  (_, code) => {
    expect(Config.safeParse(parseToml(code))).toMatchObject({ success: true })
  },
)

test.each(blocks('secrets'))('the secrets in %s are secrets', (_, code) => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-docs-'))
  writeFileSync(join(dir, 'secrets.toml'), code, { mode: 0o600 })
  expect(() => new Secrets(join(dir, 'secrets.toml'))).not.toThrow()
  rmSync(dir, { recursive: true, force: true })
})

const ofPolicy = blocks('toml').filter(([page]) => page === 'docs/policy.md')

test.each(ofPolicy)('the TOML in %s is a policy without doubts, or settings', (_, code) => {
  if (!code.includes('[[rule]]')) {
    expect(Config.safeParse(parseToml(code))).toMatchObject({ success: true })
    return
  }
  const dir = mkdtempSync(join(tmpdir(), 'dh-docs-'))
  try {
    writeFileSync(join(dir, 'policy.toml'), code)
    expect(checkPolicyFile(join(dir, 'policy.toml'), { tools: RULED })).toEqual([])
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('the presets decide on a person’s desktop what docs/policy.md says', () => {
  const SUBJECTS: Record<string, Subject> = {
    'looking at the tree': call('snapshot', { targets: [] }),
    'clicking "Next" in an editor': call('click', { targets: [target({ name: 'Next' })] }),
    'clicking "Delete"': call('click', { targets: [target({ name: 'Delete' })] }),
    'clicking "Pay now" in a finance program': call('click', { targets: [inApp('/usr/bin/gnucash', { name: 'Pay now' })] }),
    'clicking a bare point': call('click_xy', { targets: [target({ source: 'pixel', confidence: 0.6 })] }),
    'taking a screenshot': call('capture', { targets: [] }),
    'reading the clipboard': call('clipboard_read', { targets: [] }),
    'running a script': call('code', { args: { code: '', engine: 'pyautogui' }, targets: [] }),
    'running the bundled Python': call('code', { args: { code: '', engine: 'bundled' }, targets: [] }),
    'typing into a prompt for a password': call('type', {
      args: { text: 'x' },
      targets: [inApp('/usr/bin/pinentry', { role: 'textbox' })],
    }),
  }
  const table = readFileSync(join(root, 'docs/policy.md'), 'utf8').split('## Presets')[1]?.split('\n\n')[2]?.split('\n') ?? []
  const cells = table.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const [head = [], , ...rows] = cells
  expect(rows.map(([what]) => what)).toEqual(Object.keys(SUBJECTS))
  const said = rows.map(([, ...verdicts]) => verdicts)
  const decided = Object.values(SUBJECTS).map((subject) =>
    head.slice(1).map((preset) => judge(openPolicy({ preset: preset as Preset }), subject, on('host')).verdict.replace('_user', '')),
  )
  expect(said).toEqual(decided)
})

test('the plan in docs/policy.md can be rehearsed', async () => {
  const [, plan] = /```json\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/policy.md'), 'utf8')) ?? []
  const desk = await open()
  try {
    const { actions } = JSON.parse(plan ?? '') as { actions: { tool: string; args: unknown }[] }
    expect(await rehearse(desk, actions)).toMatchObject({ steps: [{ state: 'known' }, { state: 'known' }, { state: 'unknown' }] })
  } finally {
    await desk.close()
  }
})

test.each(blocks('python'))('the script in %s may run', (_, code) => {
  expect(() => validateScript(code)).not.toThrow()
})

const PROGRAMS: Record<string, RegExp> = { 'README.md': /^snapshot s1\ne1 window/, 'docs/gui-tools.md': /^\[ \d+, \d+ \]\n$/ }

test.each(blocks('ts').filter(([page]) => page in PROGRAMS))('the program in %s runs', (page, code) => {
  const state = mkdtempSync(join(tmpdir(), 'dh-docs-'))
  try {
    const words = ['--import', 'tsx', '--conditions=@deskhand/source', '--input-type=module', '--eval', code]
    const { status, stdout } = spawnSync(process.execPath, words, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, DESKHAND_STATE: state },
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(PROGRAMS[page] ?? '') })
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
})

test('every test that docs/security.md names is there', () => {
  const named = [...readFileSync(join(root, 'docs/security.md'), 'utf8').matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => file ?? '')
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('every file that the pages link to is there', () => {
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .filter(([, link]) => !existsSync(join(root, page, '..', link ?? '')))
      .map(([, link]) => `${page}: ${link}`),
  )
  expect(missing).toEqual([])
})

test('the playbook in docs/playbooks.md can be used, and its rule is a rule without doubts', () => {
  const [playbook = ''] = blocks('playbook').map(([, code]) => code)
  expect(readPlaybook(playbook, { customer: 'Anna' }, (tool) => plainTool(toolNamed, tool)).steps).toMatchObject([
    { args: { text: 'Anna' } },
    { args: { secret: 'shop' } },
    { args: { target: 'role=button && name="Order for Anna"' } },
  ])
  for (const [, policy] of blocks('policy')) expect(checkPolicyText(policy, 'draft.toml', { tools: RULED })).toEqual([])
})

test('the manifest in docs/extensions.md is one', () => {
  const [manifest = ''] = blocks('extension').map(([, code]) => code)
  const dir = mkdtempSync(join(tmpdir(), 'dh-docs-'))
  try {
    cpSync(join(root, 'examples/extensions/calc'), dir, { recursive: true })
    writeFileSync(join(dir, 'extension.toml'), manifest)
    expect(readManifest(dir)).toMatchObject({ name: 'calc', policy: ['policy.toml'] })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
