import type { MethodName } from '@deskhand/core/model'

/** A method of the table under an address. Names in braces, the query and the body become its parameters, by their names. */
export interface Route {
  verb: 'GET' | 'POST' | 'DELETE'
  /** Below `/api/v1/desktops/{desktop}`. */
  path: string
  method: MethodName
  about: string
  /** Parameters that the address itself states. */
  fixed?: Record<string, unknown>
  /** Answers with the bytes of a picture or a file instead of JSON. */
  bytes?: { field: string; type: string }
}

/** Every method that can be asked for over HTTP. */
export const ROUTES: readonly Route[] = [
  { verb: 'GET', path: '', method: 'info', about: 'What the desktop is and how it stands.' },
  { verb: 'DELETE', path: '', method: 'shutdown', about: 'Ends the desktop.' },
  { verb: 'POST', path: '/tools/{tool}', method: 'call', about: 'Calls a tool.' },
  {
    verb: 'GET',
    path: '/snapshot',
    method: 'call',
    about: 'The desktop as the caller may see it: the redacted snapshot.',
    fixed: { tool: 'ui.snapshot', args: { scope: 'desktop' } },
  },
  { verb: 'GET', path: '/trace', method: 'trace', about: 'The last calls, step by step, each with what became of it.' },
  { verb: 'GET', path: '/counters', method: 'counters', about: 'What happened here, in numbers; /metrics has them for Prometheus.' },
  { verb: 'GET', path: '/operations', method: 'operations.list', about: 'Calls under way and just ended.' },
  {
    verb: 'GET',
    path: '/calls/{callId}',
    method: 'operations.result',
    about: 'The outcome of the caller’s own call, after a broken connection.',
  },
  { verb: 'POST', path: '/stop', method: 'stop', about: 'Ends everything between two input events and holds.' },
  { verb: 'POST', path: '/pause', method: 'pause', about: 'Lets acting calls wait.' },
  { verb: 'POST', path: '/resume', method: 'resume', about: 'Ends a stop and a pause.' },
  { verb: 'POST', path: '/takeover', method: 'takeover', about: 'The operator operates the desktop from now on; agents wait.' },
  { verb: 'POST', path: '/takeover/input', method: 'takeover.input', about: 'What they do; pointer, buttons, wheel and keys.' },
  { verb: 'POST', path: '/takeover/end', method: 'takeover.end', about: 'They hand back: agents go on.' },
  { verb: 'POST', path: '/consent', method: 'consent.give', about: 'Lets agents send input and see pixels for so many minutes.' },
  { verb: 'DELETE', path: '/consent', method: 'consent.withdraw', about: 'Ends that at once.' },
  {
    verb: 'GET',
    path: '/takeover/clipboard',
    method: 'takeover.clipboard',
    about: 'The text in the desktop’s clipboard, for the operator who operates it.',
  },
  { verb: 'POST', path: '/screen', method: 'screen.size', about: 'Gives the screen of a sandbox another size.' },
  { verb: 'POST', path: '/mode', method: 'mode', about: 'How far real input may go.' },
  { verb: 'GET', path: '/approvals', method: 'approvals.list', about: 'Questions that wait for a person.' },
  { verb: 'POST', path: '/approvals/{id}/answer', method: 'approvals.answer', about: 'Answers one; the first answer wins.' },
  {
    verb: 'POST',
    path: '/approvals/{id}/shown',
    method: 'approvals.shown',
    about: 'A person has it before them: its time runs from now on.',
  },
  {
    verb: 'GET',
    path: '/approvals/{id}/picture',
    method: 'approvals.picture',
    about: 'What the element in question looks like.',
    bytes: { field: 'png', type: 'image/png' },
  },
  { verb: 'GET', path: '/grants', method: 'grants.list', about: 'Standing permissions.' },
  { verb: 'DELETE', path: '/grants/{id}', method: 'grants.revoke', about: 'Takes one back.' },
  { verb: 'GET', path: '/journal', method: 'journal.read', about: 'Entries of the record, by number, type, time, operation or text.' },
  { verb: 'GET', path: '/journal/verification', method: 'journal.verify', about: 'Whether the record is what was written.' },
  {
    verb: 'GET',
    path: '/journal/evidence/{id}',
    method: 'journal.evidence',
    about: 'Evidence that was kept encrypted.',
    bytes: { field: 'bytes', type: 'application/octet-stream' },
  },
  { verb: 'POST', path: '/replay', method: 'replay', about: 'Makes a recorded call again, judged as the same agent’s.' },
  { verb: 'GET', path: '/policy', method: 'policy.rules', about: 'Every rule in force.' },
  { verb: 'GET', path: '/policy/uses', method: 'policy.uses', about: 'How often each rule decided in the whole record.' },
  { verb: 'POST', path: '/policy/explanation', method: 'policy.explain', about: 'What would be decided about a call now, and why.' },
  { verb: 'POST', path: '/policy/check', method: 'policy.check', about: 'What is wrong or doubtful about the text of a policy.' },
  { verb: 'POST', path: '/policy/trial', method: 'policy.trial', about: 'What another policy would have decided about recorded calls.' },
  { verb: 'POST', path: '/policy/proposal', method: 'policy.propose', about: 'A rule for calls like a recorded one, as text.' },
  { verb: 'GET', path: '/policy/saved', method: 'policy.saved', about: 'The rules that operators saved.' },
  { verb: 'POST', path: '/policy/saved', method: 'policy.save', about: 'Puts a text in their place, once it is a policy.' },
  { verb: 'POST', path: '/script/check', method: 'script.check', about: 'What is wrong with a script; nothing of it runs.' },
  { verb: 'GET', path: '/settings', method: 'settings', about: 'The configuration in force.' },
  { verb: 'POST', path: '/settings/python', method: 'settings.python', about: 'How many seconds Python may take, until the desktop ends.' },
  { verb: 'GET', path: '/doctor', method: 'doctor', about: 'What is there on the machine, what is missing, and the line that gets it.' },
  { verb: 'GET', path: '/tokens', method: 'tokens.list', about: 'Who has a token for this desktop.' },
  { verb: 'POST', path: '/tokens', method: 'tokens.add', about: 'A token for an agent or a viewer, told this once.' },
  { verb: 'DELETE', path: '/tokens/{id}', method: 'tokens.remove', about: 'Makes one void.' },
]

/** Methods that belong to a connection of their own kind, and why they have no address. */
export const WITHOUT_ROUTE: Partial<Record<MethodName, string>> = {
  hold: 'a hold ends with its connection, and a request has none that lasts',
  release: 'as hold',
  'approvals.watch': 'protects the terminal of a local operator; the console is protected by its address',
  'approvals.relay': 'comes with the retried call of an MCP client that was asked',
  'events.subscribe': 'the feed has an address of its own: GET /api/v1/desktops/{desktop}/events',
}

export interface Found {
  route: Route
  names: Record<string, string>
}

const compiled = ROUTES.map((route) => ({ route, pattern: patternOf(route.path) }))

/** The route for an address below the desktop; with its verb wrong, only what would be right. */
export function findRoute(verb: string, path: string): Found | { allowed: string[] } | undefined {
  const there = compiled.flatMap(({ route, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ route, names: { ...match.groups } }]
  })
  return there.find((found) => found.route.verb === verb) ?? (there.length > 0 ? { allowed: there.map((f) => f.route.verb) } : undefined)
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]{1,200})')}$`)
}
