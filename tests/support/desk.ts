import type { Driver } from '@deskhand/core/driver'
import { memoryJournal } from '@deskhand/core/journal'
import { createRedactor } from '@deskhand/core/redaction'
import type { JournalEntry, Principal, Rect, Result } from '@deskhand/core/model'
import { createPolicy, loadPreset, parsePolicy } from '@deskhand/core/policy'
import { Session, type Ports } from '@deskhand/core/session'
import type { Vision } from '@deskhand/vision'
import { openVirtual, type VirtualDriver } from '@deskhand/driver-virtual'
import type { CallOptions } from 'deskhand'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'

export const AGENT: Principal = { id: 'agent', role: 'agent' }
export const OPERATOR: Principal = { id: 'operator', role: 'operator' }

export interface TestDesk {
  session: Session
  driver: VirtualDriver
  call(tool: string, args?: unknown, options?: CallOptions): Promise<Result>
  journal(): Promise<JournalEntry[]>
}

/** A governed session on a simulated desktop, with a memory journal: everything real but the disk. */
export async function desk(options: { ui: unknown; policy?: string; ports?: Partial<Ports>; vision?: Vision }): Promise<TestDesk> {
  const driver = openVirtual({ ui: options.ui })
  const ports = { desktop: 'virtual', mode: 'simulation_only', approver: { expiryMs: 10_000 }, ...options.ports } as const
  return { driver, ...(await govern(driver, options.policy, ports, options.vision)) }
}

/** A session over a driver under the sandbox preset and these rules, its journal in memory. */
export async function govern(
  driver: Driver,
  policyText = '',
  ports: Pick<Ports, 'desktop' | 'mode'> & Partial<Ports>,
  vision?: Vision,
): Promise<Pick<TestDesk, 'session' | 'call' | 'journal'>> {
  const journal = memoryJournal()
  const own = parsePolicy(policyText, 'test.toml', 'user')
  const policy = createPolicy({
    rules: [loadPreset('sandbox'), own].flatMap((f) => f.rules),
    ...(own.private && { private: { own: {}, ...own.private } }),
  })
  const session = await Session.open({
    driver,
    journal,
    policy: () => policy,
    redactor: createRedactor(),
    durable: false,
    urn: 'urn:deskhand:test',
    recognizer: vision,
    ...ports,
  })
  return {
    session,
    call: (tool, args = {}, callOptions = {}) => dispatch({ session, vision }, AGENT, tool, args, callOptions),
    journal: async () => {
      const entries: JournalEntry[] = []
      for await (const entry of journal.entries()) entries.push(entry)
      return entries
    },
  }
}

/** Where the first match of a query lies. */
export function placeIn({ data }: Result): Rect {
  const [first] = (data as { matches: { bounds: Rect }[] }).matches
  if (first === undefined) throw new Error('nothing was found')
  return first.bounds
}

/** A window of elements. */
export const window = (title: string, children: unknown[], attributes: Record<string, unknown> = {}): Record<string, unknown> => ({
  element_id: title.toLowerCase(),
  element_type: 'window',
  label_text: title,
  attributes: { app: title.toLowerCase(), ...attributes },
  children,
})

export const element = (type: string, label: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  element_id: `${type}_${label}`.toLowerCase().replaceAll(/\W/g, '_'),
  element_type: type,
  label_text: label,
  ...more,
})
