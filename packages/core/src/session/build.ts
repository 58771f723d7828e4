import { TRAITS, type DesktopInfo, type Principal, type Result } from '../model/index.ts'
import type { DeskhandError } from '../errors.ts'
import { appTarget, RateCounter, ScreenText, type Setting } from '../policy/index.ts'
import { maskedAreas } from '../redaction/index.ts'
import { Actor } from './act/actor.ts'
import { AppCloser } from './act/close-app.ts'
import { JudgeAgain } from './act/judge-again.ts'
import { LeaseQueue } from './act/lease.ts'
import { Readiness } from './act/ready.ts'
import { Aftermath } from './aftermath.ts'
import { Api } from './api.ts'
import type { Call } from './call.ts'
import { capabilities } from './capabilities.ts'
import { CarryOut } from './carry-out.ts'
import { CodeRunner, touching } from './code.ts'
import { Control } from './control.ts'
import { Counters } from './counters.ts'
import { Approvals } from './decide/approvals.ts'
import { Asker } from './decide/ask.ts'
import { Decider } from './decide/decide.ts'
import { BoundApprovals } from './decide/bound-approvals.ts'
import { callDigest } from './decide/digest.ts'
import { Clipboard } from './decide/clipboard.ts'
import { PrivateCopies } from './decide/private-copies.ts'
import { relayed } from './decide/relayed.ts'
import { Restless } from './decide/restless.ts'
import { DriverNews } from './driver-news.ts'
import { Events } from './events.ts'
import { HostRequests } from './host-requests.ts'
import { inCorner } from './human/corner.ts'
import { DesktopConsent } from './human/desktop-consent.ts'
import { humanTarget } from './human/human-target.ts'
import { Human } from './human/human.ts'
import { Takeover } from './human/takeover.ts'
import { JournalFeed } from './journal-feed.ts'
import { Operations } from './operations.ts'
import { Operator } from './operator.ts'
import { parseCall } from './parse-call.ts'
import type { Steps } from './perform.ts'
import { Capture } from './picture/capture.ts'
import { DrawnPart } from './picture/drawn-part.ts'
import { Evidence } from './picture/evidence.ts'
import type { HiddenArea } from './picture/hidden-area.ts'
import { HiddenAreas } from './picture/hidden-areas.ts'
import { PasswordPlaces } from './picture/password-places.ts'
import { OcrText } from './picture/ocr-text.ts'
import { Images } from './picture/images.ts'
import { PrivatePixels } from './picture/private-pixels.ts'
import { asPrivate } from './picture/private-run.ts'
import { SeenParts } from './picture/seen-parts.ts'
import { Recognition } from './picture/recognition.ts'
import { ScreenPixels } from './picture/screen-pixels.ts'
import type { HumanSettings, Ports } from './ports.ts'
import { Reader } from './read.ts'
import { Recorder, type Decided } from './record.ts'
import { Rehearser } from './rehearse.ts'
import type { DriverState } from './see/driver-state.ts'
import { LiveTree } from './see/live-tree.ts'
import { Queries } from './see/queries.ts'
import { Refs } from './see/refs.ts'
import { Resolver } from './see/resolve.ts'
import { Screens } from './see/screens.ts'
import type { See } from './see/see.ts'
import { Snapshots } from './see/snapshots.ts'
import { factsOf, textsOf } from './see/target-facts.ts'
import { SEEN, View } from './see/view.ts'
import type { Resolved } from './see/targets.ts'
import { Waiter } from './see/waiter.ts'
import { readInTurns, Turns } from './turns.ts'
import { Verifier } from './verify/verification.ts'
import { Scene } from './verify/scene.ts'
import { watching } from './watching.ts'

/** The operator in whose name a pointer in a corner stops the desktop. */
const CORNER: Principal = { id: 'the fail-safe corner', role: 'operator' }
const NO_HUMAN: HumanSettings = { mode: 'off', idleMs: 0, waitMs: 0, corner: false }
const TOUCH_MS = 10_000

/** Makes the parts of a session and gives each the few that it needs. `call` is the session's own path. */
export function build(ports: Ports, driver: DriverState, call: (call: Call) => Promise<Result>) {
  const { redactor, policy, desktop } = ports
  const { observe, act } = ports.driver
  const now = (): number => ports.now?.() ?? Date.now()

  const events = new Events(now)
  const journal = new JournalFeed(ports.journal, events)
  const control = new Control(ports.mode)
  const operations = new Operations(
    (one) => callDigest(redactor, one),
    (operation) => events.publish({ type: 'operation', operation }),
  )
  const counters = new Counters({
    treeNodes: () => tree.size,
    hungApps: () => tree.completeness.reasons.filter((reason) => reason.kind === 'hung').length,
  })
  const approvals = new Approvals({
    interactive: ports.approver !== undefined,
    expiryMs: ports.approver?.expiryMs ?? 0,
    now,
    tell: (told) => {
      counters.approval(told)
      const { approval, ...news } = told
      events.publish({ type: 'approval', approval: { ...approval }, ...news })
    },
  })
  const rates = new RateCounter()
  const setting = (): Setting => ({
    desktop,
    driver: driver.info.kind,
    mode: control.mode,
    inputGrants: control.inputGrants,
    interactive: ports.approver !== undefined,
    rates,
    own: ports.own?.(),
    now: now(),
  })

  const tree = new LiveTree(
    observe,
    (text) => redactor.value(text) as string,
    (node, app) => policy().masked(node, app, desktop),
  )
  const restless = new Restless()
  tree.onRetold = (key) => restless.changed(key)
  const shown = new ScreenText()
  const clipboard = new Clipboard(observe)
  const copies = new PrivateCopies(tree, shown, clipboard)
  const copied = (signal: AbortSignal): Promise<string> => copies.readClipboard(observe, signal)
  const bound = new BoundApprovals(tree, restless, now, copied)
  const view = new View({ tree, policy, setting, mode: () => control.mode, now })
  const told: See = (who) => view.of(who)
  const see: See = (who) => parts.over(told(who), who)
  const refs = new Refs(tree, {
    onShown: (node) => textsOf(node, (text, source) => shown.add(text, source)),
    lives: (key) => parts.has(key),
  })
  const screens = new Screens(observe)
  const images = new Images()
  const isSimulated = desktop === 'virtual'
  const passwords = new PasswordPlaces({ observe, tree, isSimulated })
  const hidden = new HiddenAreas(ports.treeless ?? 'show', passwords, async (who) => [
    ...maskedAreas(told(who), decider.privateText).map((rect): HiddenArea => ({ rect, why: 'private' })),
    ...(isSimulated ? [] : await masks.look(who)),
  ])
  const pictured: ConstructorParameters<typeof Capture>[0]['pictured'] = (place, who) =>
    policy().pictured('key' in place ? factsOf(place, SEEN) : appTarget(place), who, setting())
  const capture = new Capture({ observe, driver, tree, see: told, pictured, hidden, images, encode: ports.encode })
  const recognition = new Recognition({
    observe,
    driver,
    capture,
    recognizer: ports.recognizer,
    refusal: (principal) => decider.captureRefusal({ principal }, 'ui.capture'),
  })
  const hidesPrivate = (principal: Principal): boolean => decider.captureTerms({ principal }, 'ui.capture').redact
  const masks = new PrivatePixels({ recognition, redactor, privateText: () => decider.privateText })
  const parts = new SeenParts({
    observe,
    capture,
    see: told,
    recognizer: ports.recognizer,
    canRead: (who) => desktop !== 'virtual' && recognition.canRead(who),
    tree,
    readable: (text, who) => (hidesPrivate(who) ? decider.privateText.text(asPrivate(text, decider.privateText.text)) : text),
  })
  const ocrText = new OcrText({ desktop, see: told, recognition, privateText: () => decider.privateText, hidesPrivate })
  const inPixels = new ScreenPixels(recognition, parts, ocrText)
  const resolver = new Resolver({
    tree,
    see,
    refs,
    observe,
    screens,
    driver,
    images: (id) => images.get(id),
    inPixels,
  })
  const hostRequests = new HostRequests(act, call, (one) =>
    recorder.weakest((principal) => {
      const as: Call = { ...one, principal }
      return decider.judge(as, parseCall(as), []).decision.verdict
    }),
  )
  const waiter = new Waiter(tree, driver, () => hostRequests.isBusy)
  const scene = new Scene(see, resolver, ocrText, waiter)
  const snapshots = new Snapshots({ tree, see, refs, driver, shown, now })

  const decider = new Decider({ policy, setting, see, driver, shown, clipboard, rates, approvals })
  const evidence = new Evidence({ store: ports.evidence, tree, see, refs, driver, decider, capture, redactor })
  const asker = new Asker({
    approvals,
    journal,
    bound,
    crop: (one, targets, on) => evidence.crop(one, targets, on),
    look: (one, targets, on) => evidence.look(one, targets, on),
  })
  const place = (): Pick<Result, 'desktop' | 'driver'> => {
    const { kind, name, version } = driver.info
    return { desktop: ports.urn, driver: { kind, name, version } }
  }
  const recorder = new Recorder({ place, journal, durable: ports.durable, redactor, policy, setting, see, shown })

  const human = new Human(observe, ports.human ?? NO_HUMAN, {
    arrived: () => leases.preempt(),
    touched: (what) => humanTarget({ tree, observe, redactor }, what),
    record: (entry) => void journal.append(entry).catch(() => {}),
    moved: async (at) => {
      if (!human.settings.corner || control.stopped || !inCorner(await screens.list(), at)) return
      await operator.stop(CORNER)
    },
    changed: () => events.publish({ type: 'human', human: human.state }),
    handedBack: () => void takeover.letGo(),
  })
  const leases = new LeaseQueue(act, human)
  const release = async (): Promise<void> => {
    leases.giveBack()
    await act.stop()
  }
  const trusts = ({ id, role }: Principal): boolean => role === 'agent' && ports.approver?.trusted?.includes(id) === true
  const operator = new Operator({ control, approvals, operations, journal, human, events, release, call })
  const takeover = new Takeover({
    act,
    observe,
    human,
    release,
    redact: (text) => redactor.text(text),
    record: (what, by) => operator.record(what, by),
  })

  const consent = new DesktopConsent({
    admit: ports.admit,
    changed: async () => {
      await driver.refresh()
      // Before the person consented, the desktop told nothing of their input.
      if (driver.can('humanInput')) await human.start(driver.info.airbag !== undefined)
      return !driver.asksForConsent
    },
    release,
    record: (what, by, detail) => operator.record(what, by, detail),
  })

  const readiness = new Readiness({ tree, observe, see, refs, resolver, decider, policy, bound })
  /** What is copied and pasted from then on is these targets', and what others asked about their windows is not what a person saw. */
  const entering = ({ action, call, op }: Decided, targets: readonly Resolved[]): void => {
    if (TRAITS[action.do].changesContents) asker.disturb({ op, principal: call.principal }, targets)
    const facts = targets.map((t) => t.facts)
    copies.acting(action, facts, decider.heldBy(call))
  }
  const again = new JudgeAgain({ tree, see, observe, resolver, decider, recorder, entering })
  const closer = new AppCloser(tree, waiter, ports.end)
  const actor = new Actor({ tree, driver, recorder, leases, again, closer, secret: ports.secret })
  const verifier = new Verifier({ tree, driver, observe, desktop, scene, snapshots, waiter, closer })
  const code = new CodeRunner({
    engine: ports.code,
    pause: control,
    leases,
    screens,
    redactor,
    images,
    call,
    touches: touching(see, async (one) => (await resolver.resolve(parseCall(one), one, AbortSignal.timeout(TOUCH_MS))).map((t) => t.facts)),
  })
  const { formats, features, otherDrivers } = ports
  const turns = new Turns()
  const reader = new Reader({
    queries: new Queries({ see, refs, resolver, snapshots, redactor, tree, waiter, inPixels }),
    capture,
    decider,
    code,
    screens,
    clipboard: copied,
    capabilities: () => capabilities({ desktop, driver, human, formats, features, otherDrivers }),
    scene,
  })
  const drawnPart = new DrawnPart({ observe, tree, see, refs, decider, desktop, call })
  const aftermath = new Aftermath({ tree, see, refs, snapshots, recorder, observe, desktop, drawnPart })
  const steps: Steps = {
    control,
    resolver,
    decider,
    recorder,
    asker,
    rehearser: new Rehearser({ control, resolver, decider, recorder, asker, approvals, policy, redactor }),
    reader: readInTurns(reader, turns),
    carryOut: new CarryOut({ tree, control, human, leases, readiness, actor, verifier, evidence }),
  }

  const info = (): DesktopInfo => {
    const { kind, name, version, epoch, can } = driver.info
    const { mode, stopped, paused } = control
    const about = { kind, name, version, epoch }
    const inputGrants = control.inputGrants.filter(({ until }) => until > Date.now())
    const held = { mode, ...(inputGrants.length > 0 && { inputGrants }), stopped, paused, human: human.state }
    return { desktop: ports.urn, kind: desktop, driver: about, can, ...held, event: events.last }
  }
  const reject = (what: string, principal: Principal, error: DeskhandError): Promise<DeskhandError> =>
    recorder.reject(what, { principal }, error)
  const api = new Api(
    {
      ...operator.methods,
      ...takeover.methods,
      ...consent.methods,
      ...relayed({ approvals, trusts, reject }),
      ...watching({ approvals, counters, operations, journal, info }),
    },
    reject,
    turns,
  )

  void new DriverNews({ tree, driver, screens, leases, hostRequests, events, consent })
  const frameNeeds = { observe, tree, screens, capture, decider, call }
  return {
    trusts,
    decider,
    steps,
    counters,
    aftermath,
    api,
    operator,
    operations,
    events,
    journal,
    approvals,
    tree,
    see,
    human,
    consent,
    leases,
    setting,
    info,
    frameNeeds,
  }
}

export type Parts = ReturnType<typeof build>
