import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { loadSigner, type Signer } from '@deskhand/core/journal'
import { playbookNames, TRAITS } from '@deskhand/core/model'
import { clip, visible } from '@deskhand/core/selector/quote'
import { seal } from '../playbook/signature.ts'
import { shapeOf } from '../playbook/shape.ts'
import type { Score } from '../playbook/steps.ts'
import type { Step } from '../tools/step-run.ts'
import type { Common } from './common.ts'
import { settingsOf } from './connect.ts'
import { read } from './play.ts'

/** Says what a playbook is, whether it can be used, and what rules call it. */
export async function check(file: string): Promise<void> {
  const text = await read(file)
  const { playbook, steps, stamp } = shapeOf(text)
  say(`${playbook.name}: ${steps.length} steps${parametersOf(playbook.parameters)}`)
  for (const [i, step] of steps.entries()) say(`  ${i + 1} ${step.tool.name}${expected(step)}`)
  say(stamp.signer === undefined ? 'not signed' : `signed by ed25519:${stamp.signer}`)
  for (const name of playbookNames(stamp)) say(`in rules: playbook = "${name}"`)
}

/** Signs the file with the operator's key. */
export async function sign(common: Common, file: string): Promise<void> {
  const text = await read(file)
  const loose = shapeOf(text).steps.findIndex((step) => acts(step) && (step.expects?.role === undefined || step.expects.app === undefined))
  if (loose >= 0)
    throw new DeskhandError('BAD_ARGS', `step ${loose + 1} does not say what it has to meet`, {
      next: 'Add expect = { role = "…", app = { executable = "…" } }; deskhand journal export --as playbook writes it by itself.',
    })
  const signer = await operatorKey(common)
  writeFileSync(file, seal(text, signer))
  say(`signed by ed25519:${signer.key}`)
}

/** The operator's public key, for rules. */
export async function key(common: Common): Promise<void> {
  say(`ed25519:${(await operatorKey(common)).key}`)
}

const operatorKey = async (common: Common): Promise<Signer> => loadSigner(join((await settingsOf(common)).state, 'keys'), 'operator')

/** A step that starts a program or closes a window meets no element that has a role of its own. */
const acts = ({ tool }: Step): boolean =>
  'kind' in tool ? !TRAITS[tool.kind].reads && TRAITS[tool.kind].targets !== 'none' : !tool.readOnly

const parametersOf = (parameters: Score['playbook']['parameters']): string => {
  const names = Object.keys(parameters)
  return names.length === 0 ? '' : `, with ${names.join(', ')}`
}

const expected = ({ expects }: Step): string =>
  expects === undefined
    ? ''
    : ` on ${expects.role ?? 'an element'}${expects.app?.executable === undefined ? '' : ` of ${clip(expects.app.executable)}`}`

const say = (text: string): void => void process.stdout.write(`${visible(text)}\n`)
