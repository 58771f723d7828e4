import type { Grant } from '@deskhand/core/model'

/** The texts of Policy. */
export const POLICY = {
  inForce: 'Rules in force',
  columns: ['Rule', 'Says', 'When', 'Decided'],
  anyTool: 'any tool',
  version: 'Version',
  explain: 'Would this be allowed?',
  test: 'Test',
  draft: 'Your rules',
  draftHint: 'Rules in TOML, which stand beside the files of the configuration. Compare a change with the record, then save it:',
  whatIf: 'Compare with past steps',
  save: 'Save',
  dropDraft: 'Drop the changes',
  savedMeanwhile: 'Other rules were saved since you began to write. Saving yours replaces them.',
  compareFirst: 'A change is compared with past steps before it can be saved.',
  atLine: (line: number) => `Line ${line}`,
  always: 'always',
  same: 'None of these calls would have been decided differently.',
  differences: 'Calls that would have been decided differently',
  compared: (n: number, since: string | undefined) =>
    since === undefined ? `Compared with all ${n} calls of the record.` : `Compared with the newest ${n} calls, back to ${since}.`,
  hiddenText: (n: number) => `In ${n} of them the typed text was not kept: rules on text could not be applied there.`,
  readOlder: 'Compare with older ones',
  grants: 'Standing permissions',
  grant: ({ tools, apps, maxRisk, left }: Grant) =>
    `${tools.join(', ')} ${apps.length === 0 ? 'anywhere' : `in ${apps.join(', ')}`}, up to ${maxRisk} risk, ${left} more`,
  inputGrant: (apps: readonly string[], input: string) => `Real ${input === 'any' ? 'input' : `input by ${input}`} in ${apps.join(', ')}`,
  presets: 'Presets',
  presetsHint:
    'One of them lies below the rules: the one that policy.preset of the configuration names, or that was chosen in Settings when the desktop was started.',
  inForceMark: 'in force',
  noGrants: 'No answer holds for longer than its call. “Allow for longer” at a question makes one that does.',
  revoke: 'Revoke',
} as const

/** How far real input may go. */
export const MODE = {
  another: 'Permit another application…',
  fullTitle: 'Allow real input',
  full: (desktop: string) =>
    `From now on agents may send real input to every application on ${desktop}, until you change the mode. The rules go on deciding about each call.`,
  allowFull: 'Allow real input',
  restrictedTitle: 'Allow real input for some time',
  restricted: (desktop: string) =>
    `Agents may send real input on ${desktop} to these applications alone, and no longer than you say. The rules go on deciding about each call.`,
  apps: 'Applications, by the names of their programs',
  by: 'Input by',
  inputs: { any: 'mouse and keyboard', keyboard: 'keyboard alone', mouse: 'mouse alone' },
  minutes: 'Minutes',
  allowRestricted: 'Allow it for this time',
  cancel: 'Cancel',
  left: 'Real input is allowed for so long',
} as const

/** What the policy says to a call. */
export const EXPLAIN = {
  tool: 'Tool',
  target: 'Target, such as name="Save"',
  more: 'Other arguments as JSON, such as {"text": "Ada"}',
  agent: 'Agent',
  risk: 'Risk',
  rules: 'Rules that match, the strongest first',
  others: (n: number) => (n === 1 ? '1 rule does not match' : `${n} rules do not match`),
  decides: 'decides',
  badJson: 'The other arguments are no JSON object.',
} as const
