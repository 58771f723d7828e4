import { createHash, randomBytes } from 'node:crypto'
import { within } from '../driver/driver.ts'
import { DeskhandError } from '../errors.ts'
import { WINDOWS, type Action, type Condition, type ElementNode, type Result, type TargetFacts, type UiNode } from '../model/index.ts'
import { generator, json, match } from '../selector/index.ts'
import { listApps } from './apps.ts'
import { mayCapture } from './deciding.ts'
import { judge } from './judge.ts'
import { expose } from './picture.ts'
import type { Call, CodeStage, Touched } from './ports.ts'
import type { Outcome } from './record.ts'
import { find } from './resolve.ts'
import type { Session } from './session.ts'

const CAPTURE_MS = 5_000
/** What is done without looking at any element; a picture of the screen looks for itself. */
const isUnseeing = (action: Action): boolean => UNSEEING.has(action.do) || (action.do === 'capture' && action.target === undefined)
const UNSEEING: ReadonlySet<Action['do']> = new Set<Action['do']>(['capabilities', 'screens', 'clipboard_read', 'simulate', 'code'])
const LOOKED = { sent: 'none', effect: 'none' } as const

/** Actions that only look. They stand on the same view as everything an agent sees. */
export async function read(s: Session, action: Action, call: Call, signal: AbortSignal, redact = false): Promise<Outcome> {
  // A person may have been asked meanwhile: what is hidden now counts, not what was then.
  if (!isUnseeing(action)) await s.tree.sync()
  switch (action.do) {
    case 'capabilities':
      return capabilities(s)
    case 'snapshot':
      return snapshot(s, action, call, redact)
    case 'query':
      return query(s, action, call, signal)
    case 'describe':
      return describe(s, action, call)
    case 'wait':
      return holds(s, action.until, call, 'TIMEOUT', action.timeoutMs, signal, action.pollMs)
    case 'assert':
      return holds(s, action.condition, call, 'ASSERT_FAILED', 0, signal)
    case 'capture':
      return capture(s, action, call, redact)
    case 'screens': {
      const [screens, pointer] = await Promise.all([s.screens(), s.observe.pointer(within(CAPTURE_MS))])
      return { ...LOOKED, data: { screens, pointer } }
    }
    case 'apps':
      return listApps(s, call)
    case 'clipboard_read':
      return { ...LOOKED, data: { text: await s.observe.readClipboard(within(CAPTURE_MS, signal)) } }
    case 'simulate':
      return LOOKED
    case 'code':
      if (s.ports.code === undefined) throw new DeskhandError('NOT_CAPABLE', 'no engine for code is set up on this desktop')
      return { ...LOOKED, ...(await s.ports.code.run(action, codeStage(s, call, action.engine ?? 'code', signal))) }
    default:
      throw new DeskhandError('INTERNAL', `${action.do} is no read`)
  }
}

async function capabilities(s: Session): Promise<Outcome> {
  const { kind, name, version, can } = s.info
  const formats = (await s.ports.formats?.()) ?? {}
  const features = s.ports.features?.() ?? {}
  const human = s.human.state
  const others = s.ports.otherDrivers?.() ?? []
  const drivers = [{ kind, name, version, available: true, can }, ...others]
  const named = [
    ...Object.entries(can),
    ...Object.entries(formats).map(([format, c]) => [`format:${format}`, c] as const),
    ...Object.entries(features),
  ]
  const lines = named.map(([cap, c]) => (c.ok ? `${cap}: yes` : `${cap}: no, ${c.reason}${c.fix === undefined ? '' : ` (${c.fix})`}`))
  return {
    ...LOOKED,
    data: { desktop: s.info.desktop, kind: s.ports.desktop, drivers, formats, features, human },
    text: [
      `${name} ${version} on ${s.info.desktop}`,
      ...lines,
      `person at the controls: ${human.since === undefined ? 'nobody' : `since ${human.since}${human.paused ? ', so input waits' : ''}`} (mode ${human.mode})`,
      ...others.map(
        (o) => `driver ${o.kind}: ${o.available ? 'could be used here' : `no, ${o.reason}${o.fix === undefined ? '' : ` (${o.fix})`}`}`,
      ),
    ].join('\n'),
  }
}

async function snapshot(s: Session, action: Extract<Action, { do: 'snapshot' }>, call: Call, redact: boolean): Promise<Outcome> {
  const { text, ...dom } = s.snapshot(call, action)
  const outcome: Outcome = { ...LOOKED, data: dom, text, evidence: { snapshotId: dom.snapshotId } }
  if (!action.includeScreenshot) return outcome
  const allowed = mayCapture(s, call)
  if (allowed !== true) return { ...outcome, data: { ...dom, screenshot: null, screenshotReason: allowed } }
  const shot = await capture(s, { do: 'capture', format: 'png' }, call, redact)
  const [image] = shot.images ?? []
  const screenshot = image && {
    hash: shot.evidence?.screenshotHash,
    width: image.width,
    height: image.height,
    encoding: image.mimeType,
    imageId: image.id,
  }
  return { ...outcome, data: { ...dom, screenshot }, images: shot.images, evidence: { ...outcome.evidence, ...shot.evidence } }
}

async function query(s: Session, action: Extract<Action, { do: 'query' }>, call: Call, signal: AbortSignal): Promise<Outcome> {
  const look = () => match(action.selector, s.seen(call), { driver: s.info.kind })
  if (action.timeoutMs) await s.until(() => ({ holds: look().length > 0, details: '' }), action.timeoutMs, signal)
  const found = look()
  const matches = found.slice(0, action.limit).map((m) => ({
    elementId: s.refs.show(m.node, call.principal),
    role: m.node.role,
    name: m.node.name,
    description: m.node.description,
    value: m.node.value,
    bounds: m.node.bounds,
    states: m.node.states,
    confidence: m.confidence,
    why: m.why,
  }))
  const shown = s.outlineOf(
    found.slice(0, action.limit).map((m) => m.node),
    call,
  )
  const more = found.length > matches.length ? `\n… ${found.length - matches.length} more; raise limit or narrow the selector` : ''
  const text =
    found.length === 0
      ? `nothing matches ${action.selector}. ${s.explain(action.selector, call)}`
      : `${found.length} found\n${shown}${more}`
  return { ...LOOKED, data: { matches, count: found.length, complete: s.seen(call).completeness.complete }, text }
}

async function describe(s: Session, action: Extract<Action, { do: 'describe' }>, call: Call): Promise<Outcome> {
  const [node] = find(action.element, s.looking(call))
  if (node === undefined) throw new DeskhandError('STALE_REF', 'the element is gone')
  const data = element(s, node, Infinity, call)
  return { ...LOOKED, data, text: json(s.ports.redactor.value({ ...data, children: node.children.length }), 1) }
}

async function holds(
  s: Session,
  condition: Condition,
  call: Call,
  code: 'TIMEOUT' | 'ASSERT_FAILED',
  timeoutMs: number,
  signal: AbortSignal,
  pollMs?: number,
): Promise<Outcome> {
  await s.tree.sync()
  const judgement = await s.until(() => judge(condition, s.scene(call)), timeoutMs, signal, pollMs)
  const verification = { passed: judgement.holds === true, details: judgement.details }
  if (judgement.holds === true) return { ...LOOKED, effect: 'confirmed', verification, text: judgement.details }
  const unknown = judgement.holds === 'unknown' ? ' (unknown: the tree is incomplete)' : ''
  return { ...LOOKED, verification, failure: new DeskhandError(code, `${judgement.details}${unknown}`) }
}

async function capture(s: Session, action: Extract<Action, { do: 'capture' }>, call: Call, redact: boolean): Promise<Outcome> {
  const [node] = action.target === undefined ? [] : find(action.target, s.looking(call))
  if (action.target !== undefined && node === undefined)
    throw new DeskhandError('NOT_FOUND', 'there is no such element to take a picture of')
  // Of a window only what is its own; of anything else what lies there.
  const area =
    action.region === undefined && node !== undefined && WINDOWS.has(node.role)
      ? { window: node.key }
      : { rect: action.region ?? node?.bounds }
  const { frame } = await expose(s, call, area, action.format, redact)
  if (action.format === 'raw') return { ...LOOKED, data: frame }
  const image: NonNullable<Result['images']>[number] = {
    id: `i${randomBytes(6).toString('hex')}`,
    mimeType: `image/${action.format}`,
    ...frame,
  }
  s.remember(image)
  const { data, ...about } = image
  return { ...LOOKED, data: about, images: [image], evidence: { screenshotHash: createHash('sha256').update(data).digest('base64url') } }
}

/** What code that was let through stands on: every call of it is a call of its own, by the same principal. */
function codeStage(s: Session, call: Call, script: string, signal: AbortSignal): CodeStage {
  return {
    signal,
    hold: (work) =>
      s.hold(signal, (hands) =>
        work(
          (tool, kind, args, line, dryRun) =>
            s.call({ tool, kind, args, principal: call.principal, origin: { script, line }, hands, signal, dryRun }),
          () => hands.rest(),
        ),
      ),
    progress: (note) => call.onProgress?.(s.ports.redactor.value(note)),
    screens: () => s.screens(),
    touches: async (kind, args) => touched(s, call, (await s.consider({ ...call, kind, args })).subject.targets),
  }
}

function touched(s: Session, call: Call, targets: readonly TargetFacts[]): Touched[] {
  const seen = s.seen(call)
  const selectorOf = generator(seen)
  return targets.map(({ key, role, at, window }) => {
    const node = key === undefined ? undefined : seen.see(key)
    return { selector: node && selectorOf(node), role, at, window: window?.bounds }
  })
}

/** A node as an agent sees it, with what is below it down to a depth. */
export function element(s: Session, node: UiNode, depth: number, call: Call): ElementNode {
  const { key: _key, parent: _parent, index: _index, app: _app, children, ...face } = node
  const shown: ElementNode = { id: s.refs.show(node, call.principal), ...face }
  if (depth > 1 && children.length > 0) shown.children = children.map((c) => element(s, c, depth - 1, call))
  return shown
}
