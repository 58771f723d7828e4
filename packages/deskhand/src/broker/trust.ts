import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopKind, Trust } from '@deskhand/core/model'
import type { RulePolicy, Setting, Subject } from '@deskhand/core/policy'

export interface Standing {
  desktop: DesktopKind
  /** Whether the programs of a sandbox are locked up. */
  isolated: boolean
  /** Whether agents of other users come in. */
  door: boolean
  policy: RulePolicy
}

/**
 * How far agents are held to the policy. Enforced only where no single call that the policy lets through makes an agent the operator: by the
 * operator's own user, or by a program that runs as that user.
 */
export function trustOf({ desktop, isolated, door, policy }: Standing): Trust {
  if (!door) return { level: 'advisory', why: "agents run as the broker's user, and could come in by the operator's socket" }
  if (desktop === 'sandbox' && !isolated)
    return {
      level: 'advisory',
      why: "programs of this sandbox run as the broker's user, unlocked, and could come in by the operator's socket",
    }
  const through = desktop === 'host' ? PROBES.find((probe) => isFree(policy, probe.subject)) : undefined
  if (through !== undefined)
    return { level: 'advisory', why: `the policy lets agents ${through.does} without a question, as the broker's user` }
  return { level: 'enforced', why: WHY[desktop] }
}

/** Refuses agents of other users where what they start would run as the broker's user. */
export function mustBeLocked(desktop: DesktopKind, isolated: boolean, attached: string | undefined): void {
  if (desktop !== 'sandbox' || isolated) return
  const next =
    attached === undefined
      ? 'Add --isolate, or isolate = true under [desktop] in deskhand.toml.'
      : 'Bring up an isolated one: deskhand desktop up --isolate.'
  throw new DeskhandError('BAD_CONFIG', 'agents of another user need an isolated sandbox: what they start would run as you', { next })
}

const WHY: Readonly<Record<DesktopKind, string>> = {
  virtual: 'nothing that agents do on the simulated desktop runs as the broker’s user outside of a jail',
  sandbox: 'the programs of this sandbox are locked up, away from what is the broker’s',
  host: 'the policy asks a person, or refuses, before agents start a shell or an interpreter, or type into a terminal or a launcher, of those that are tried',
}

interface Probe {
  does: string
  subject: Subject
}

const AGENT = { id: 'agent', role: 'agent' } as const

const starting = (app: string): Probe => ({
  does: `start ${app}`,
  subject: {
    tool: 'desktop.launch',
    kind: 'launch',
    args: { app, args: ['-c', 'id'] },
    principal: AGENT,
    targets: [{ role: 'application', name: app, path: [], source: 'none', confidence: 1, why: [] }],
    tainted: false,
  },
})

const typing = (executable: string): Probe => ({
  does: `type into ${executable}`,
  subject: {
    tool: 'ui.type',
    kind: 'type',
    args: { text: 'id\n' },
    principal: AGENT,
    tainted: false,
    targets: [
      {
        role: 'terminal',
        name: 'Terminal',
        app: { id: 'probe', name: executable, executable: `/usr/bin/${executable}` },
        path: [],
        source: 'structure',
        confidence: 1,
        why: [],
      },
    ],
  },
})

/** Calls each of which, let through on a person's desktop, runs a command as that person. */
const PROBES: readonly Probe[] = [
  ...['sh', '/bin/sh', 'bash', 'env', 'python3', 'perl', 'xterm', 'xdg-open'].map(starting),
  ...['xterm', 'gnome-terminal-server', 'konsole', 'xfce4-terminal', 'xfce4-appfinder', 'krunner'].map(typing),
]

function isFree(policy: RulePolicy, subject: Subject): boolean {
  const setting: Setting = { desktop: 'host', driver: 'linux', mode: 'allow_actual_input_full', now: Date.now(), interactive: true }
  return policy.decide(subject, policy.assess(subject, setting), setting).verdict === 'allow'
}
