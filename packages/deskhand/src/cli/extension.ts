import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { loadSigner } from '@deskhand/core/journal'
import { inspectPolicy } from '@deskhand/core/policy'
import { visible } from '@deskhand/core/selector/quote'
import { SIGNATURE, signatureOf } from '../extension/digest.ts'
import { Extensions, type Extension } from '../extension/store.ts'
import { shapeOf } from '../playbook/shape.ts'
import { agreed } from './agreed.ts'
import type { Common } from './common.ts'
import { configOf } from './config.ts'
import { settingsOf } from './connect.ts'

/** Says what an extension would bring, and adds nothing. */
export function check(common: Common, from: string): void {
  show(Extensions.inspect(from, configOf(common).extensions.keys))
}

/** Shows what an extension would change, and adds it once a person agrees. Nothing of it is run. */
export async function add(common: Common, from: string, options: { yes?: boolean }): Promise<void> {
  const extension = Extensions.inspect(from, configOf(common).extensions.keys)
  show(extension)
  if (!(await agreed(`add ${extension.manifest.name}`, options.yes))) return say('nothing was added')
  const { state } = await settingsOf(common)
  new Extensions(state).add(extension)
  say(`${extension.manifest.name} is added; desktops that come up from now on have it`)
}

export async function list(common: Common): Promise<void> {
  const extensions = new Extensions((await settingsOf(common)).state)
  for (const name of extensions.names()) {
    try {
      const { manifest, pin } = extensions.read(name, configOf(common).extensions.keys)
      say(`${name} ${manifest.version}  sha256:${pin.sha256}${pin.signer === undefined ? '' : `  ed25519:${pin.signer}`}`)
      for (const key of Object.keys(manifest.selectors)) say(`  app:${name}.${key}`)
      for (const key of Object.keys(manifest.tasks)) say(`  task ${name}.${key}`)
      for (const driver of manifest.drivers) say(`  driver ${driver.name}`)
    } catch (thrown) {
      say(`${name}: ${DeskhandError.from(thrown).message}`)
      process.exitCode = 1
    }
  }
}

export async function remove(common: Common, name: string): Promise<void> {
  new Extensions((await settingsOf(common)).state).remove(name)
  say(`${name} is removed`)
}

/** Signs the files in a folder with the operator's key. */
export async function sign(common: Common, dir: string): Promise<void> {
  const { pin } = Extensions.inspect(dir)
  const signer = await loadSigner(join((await settingsOf(common)).state, 'keys'), 'operator')
  writeFileSync(join(dir, SIGNATURE), signatureOf(pin.sha256, signer))
  say(`signed by ed25519:${signer.key}`)
}

function show({ manifest: { name, version, description, selectors, policy, tasks, drivers }, dir, pin }: Extension): void {
  say(`${name} ${version}${description === undefined ? '' : `: ${description}`}`)
  say(`sha256:${pin.sha256}, ${pin.signer === undefined ? 'not signed' : `signed by ed25519:${pin.signer}`}`)
  for (const [key, selector] of Object.entries(selectors)) say(`  app:${name}.${key} is ${selector}`)
  for (const path of policy) {
    const { policy: read } = inspectPolicy(readFileSync(join(dir, path), 'utf8'), path, 'user')
    for (const { spec, source } of read?.rules ?? []) say(`  rule ${path}:${source.line}: ${JSON.stringify(spec)}`)
    for (const [kind, words] of Object.entries(read?.words ?? {})) say(`  ${path}: words that are ${kind}: ${words.join(', ')}`)
    for (const [kind, programs] of Object.entries(read?.classes ?? {}))
      say(`  ${path}: programs of the class ${kind}: ${programs.join(', ')}`)
    for (const mask of read?.mask ?? []) say(`  ${path}: nobody sees ${JSON.stringify(mask)}`)
  }
  for (const [task, path] of Object.entries(tasks)) {
    const { playbook, stamp } = shapeOf(readFileSync(join(dir, path), 'utf8'))
    say(
      `  task ${name}.${task} has ${playbook.step.length} steps: ${playbook.step.map((step) => step.tool).join(', ')} (sha256:${stamp.sha256})`,
    )
  }
  for (const { name: driver, command, prefixes = [driver], risk } of drivers)
    say(
      `  driver ${driver} RUNS ${JSON.stringify(command)} as you, whenever a desktop comes up; selectors ${prefixes.join(', ')}; risk at least ${risk}`,
    )
}

const say = (text: string): void => void process.stdout.write(`${visible(text)}\n`)
