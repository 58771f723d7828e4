import { readFileSync } from 'node:fs'
import { parsePolicy, type PolicyFile } from './load.ts'

/** The policies that come with Deskhand, readable under `presets/`. */
export const PRESETS = ['observe', 'supervised', 'sandbox', 'unattended'] as const
export type Preset = (typeof PRESETS)[number]

export function loadPreset(name: Preset): PolicyFile {
  return shipped(name)
}

/** What each level of risk means when no rule names it. */
export function riskRules(): PolicyFile {
  return shipped('risk')
}

export function presetText(name: Preset | 'risk'): string {
  // the same two folders up from src/policy and from dist/policy
  return readFileSync(new URL(`../../presets/${name}.toml`, import.meta.url), 'utf8')
}

function shipped(name: Preset | 'risk'): PolicyFile {
  return parsePolicy(presetText(name), `presets/${name}.toml`, 'builtin')
}
