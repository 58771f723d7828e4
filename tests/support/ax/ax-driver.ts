import { randomUUID } from 'node:crypto'
import {
  CAPS,
  type Cap,
  type CapName,
  ChangeLog,
  checkStep,
  type Ctx,
  type Driver,
  type DriverInfo,
  type Guard,
  Leases,
  mustBeCapable,
  mustGoOn,
  PROTOCOL,
  type Sent,
  type Step,
} from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import { type FlatNode, toRole } from '@deskhand/core/model'
import { AX_ERRORS, AxError, type AxApplication, type AxElement } from './ax-double.ts'

/** What the double has no part of, with what a driver on a Mac would need for it. */
const GAPS: Partial<Record<CapName, string>> = {
  capture: 'needs ScreenCaptureKit and the permission Screen Recording, which the double does not have',
  clipboard: 'needs NSPasteboard, which the double does not have',
  humanInput: 'needs an event tap and the permission Input Monitoring, which the double does not have',
  'step:pointer': 'needs CGEvent, which the double does not have',
  'step:keys': 'needs CGEvent, which the double does not have',
  'step:text': 'needs CGEvent, which the double does not have',
  'step:clipboard': 'needs NSPasteboard, which the double does not have',
  'step:window': 'needs a window server, which the double does not have',
  'step:launch': 'needs NSWorkspace, which the double does not have',
}
export const AX_GAPS = Object.keys(GAPS) as CapName[]

const NAMES = [
  'AXRole',
  'AXSubrole',
  'AXTitle',
  'AXDescription',
  'AXValue',
  'AXPosition',
  'AXSize',
  'AXEnabled',
  'AXFocused',
  'AXSelected',
  'AXMain',
  'AXChildren',
]
const ROLES: Readonly<Record<string, FlatNode['role']>> = { AXMenuBarItem: 'menuitem', AXList: 'list', AXRow: 'listitem' }

/** A driver over the accessibility API of macOS, as docs/macos.md plans it, for the double of that API. */
export class AxDriver implements Driver {
  readonly #app: AxApplication
  readonly #log = new ChangeLog()
  readonly #keys = new Map<AxElement, string>()
  readonly #elements = new Map<string, AxElement>()
  readonly #leases = new Leases({ isHolding: () => false, release: () => {} })
  readonly #epoch = randomUUID()

  constructor(app: AxApplication) {
    this.#app = app
    app.observe((notification, element) => {
      if (notification === 'AXUIElementDestroyed') return this.#log.add({ type: 'gone', key: this.#keyOf(element) })
      const node = this.#walk().find((n) => n.key === this.#keyOf(element))
      if (node !== undefined) this.#log.add({ type: 'put', node })
    })
  }

  readonly observe: Driver['observe'] = {
    info: async (ctx) => this.#going(ctx, () => this.#info()),
    screens: async (ctx) => this.#going(ctx, () => [{ id: 'main', bounds: this.#app.screen, scale: 2, primary: true }]),
    read: async ({ root, maxNodes = Infinity }, ctx) =>
      this.#going(ctx, () => {
        if (root !== undefined) this.#mustKnow(root)
        const inside = new Set([root])
        const all = this.#walk().filter((n) => root === undefined || n.key === root || (inside.has(n.parent) && inside.add(n.key)))
        const reasons = all.length > maxNodes ? [{ kind: 'truncated' as const, detail: `only ${maxNodes} nodes were asked for` }] : []
        const { name, pid } = this.#app
        return {
          cursor: this.#log.cursor,
          nodes: all.slice(0, maxNodes),
          apps: [{ id: 'app', name, pid }],
          completeness: { complete: reasons.length === 0, reasons },
        }
      }),
    changes: async (since, waitMs, ctx) => {
      const start = performance.now()
      for (;;) {
        mustGoOn(ctx)
        const found = this.#log.since(since)
        const spent = performance.now() - start
        if ('reset' in found || found.changes.length > 0 || spent >= waitMs) return found
        if (spent >= ctx.deadlineMs) throw new DeskhandError('TIMEOUT', 'nothing changed')
        await this.#log.wait(Math.min(waitMs, ctx.deadlineMs) - spent, ctx.signal)
      }
    },
    check: async (keys, ctx) =>
      this.#going(ctx, () => {
        const nodes = new Map(this.#walk().map((n) => [n.key, n]))
        return keys.map((key) => nodes.get(key) ?? null)
      }),
    hit: async ({ x, y }, ctx) =>
      this.#going(ctx, () => {
        const found = this.#app.elementAt(x, y)
        const nodes = new Map(this.#walk().map((n) => [n.key, n]))
        let window = found && nodes.get(this.#keyOf(found))
        while (window?.parent !== undefined) window = nodes.get(window.parent)
        return { node: found && this.#keyOf(found), window: window?.key }
      }),
    watch: () => this.#no('humanInput'),
    capture: () => this.#no('capture'),
    render: () => this.#no('capture'),
    readClipboard: () => this.#no('clipboard'),
    pointer: () => this.#no('step:pointer'),
    canLaunch: () => this.#no('step:launch'),
  }

  readonly act: Driver['act'] = {
    take: (ttlMs, ctx) => this.#leases.take(ttlMs, ctx),
    step: (lease, step, guard, ctx) =>
      this.#leases.run(lease, ctx, () => {
        checkStep(step)
        mustBeCapable(this.#info().can, `step:${step.do}`)
        const broken = this.#broken(guard)
        if (broken !== undefined) return { sent: 'none', units: 0, via: step.do, held: [], broken }
        return this.#step(step)
      }),
    reply: async () => {
      throw new DeskhandError('BAD_ARGS', 'nothing was asked')
    },
    drop: (lease) => this.#leases.drop(lease),
    stop: () => this.#leases.stop(),
  }

  async close(): Promise<void> {
    await this.#leases.stop()
    this.#log.wake()
  }

  #info(): DriverInfo {
    const trust: Cap = this.#app.isTrusted
      ? { ok: true }
      : {
          ok: false,
          reason: 'the permission Accessibility is missing',
          fix: 'System Settings > Privacy & Security > Accessibility',
          consent: true,
        }
    const cap = (name: CapName): Cap => (GAPS[name] === undefined ? trust : { ok: false, reason: GAPS[name] })
    const can = Object.fromEntries(CAPS.map((name) => [name, cap(name)])) as DriverInfo['can']
    return {
      protocol: PROTOCOL,
      kind: 'macos',
      name: 'ax-double',
      version: '1',
      prefixes: ['ax'],
      desktop: 'urn:deskhand:macos:double',
      epoch: this.#epoch,
      can,
    }
  }

  #step(step: Step): Sent {
    const done = (via: string, units = 1): Sent => ({ sent: 'all', units, via, held: [] })
    if (!('key' in step)) throw new DeskhandError('NOT_CAPABLE', `${step.do} needs no element`)
    const element = this.#mustKnow(step.key)
    const app = this.#app
    const { AXEnabled, AXValue } = app.attributes(element, ['AXEnabled', 'AXValue'])
    if (AXEnabled === false) throw new DeskhandError('NOT_ACTIONABLE', 'it is disabled')
    const set = (name: string, value: unknown): Sent => {
      if (!app.isSettable(element, name)) throw new DeskhandError('NOT_CAPABLE', `${name} cannot be set here`)
      app.set(element, name, value)
      return done(name)
    }
    const perform = (action: string): Sent => {
      if (!app.actionNames(element).includes(action)) throw new DeskhandError('NOT_CAPABLE', `there is no ${action} here`)
      app.perform(element, action)
      return done(action)
    }
    switch (step.do) {
      case 'press':
        return perform('AXPress')
      case 'focus':
        return set('AXFocused', true)
      case 'select':
        return set('AXSelected', true)
      case 'expand':
      case 'collapse':
        return set('AXExpanded', step.do === 'expand')
      case 'reveal':
        return perform('AXScrollToVisible')
      case 'setText':
        return { ...set('AXValue', step.mode === 'replace' ? step.text : `${String(AXValue)}${step.text}`), units: [...step.text].length }
      case 'setValue':
        return set('AXValue', step.value)
      default:
        throw new DeskhandError('NOT_CAPABLE', `${step.do} is no step of the double`)
    }
  }

  #broken({ window, focus, hit }: Guard): 'window' | 'focus' | 'hit' | undefined {
    const nodes = this.#walk()
    const states = (key: string): FlatNode['states'] => nodes.find((n) => n.key === key)?.states
    if (window !== undefined && states(window)?.active !== true) return 'window'
    if (focus !== undefined && states(focus)?.focused !== true) return 'focus'
    const found = hit && this.#app.elementAt(hit.at.x, hit.at.y)
    return hit !== undefined && (found && this.#keyOf(found)) !== hit.key ? 'hit' : undefined
  }

  /** Every element that is there now, parents first. */
  #walk(): FlatNode[] {
    const nodes: FlatNode[] = []
    const visit = (element: AxElement, parent: string | undefined, index: number): void => {
      const told = this.#app.attributes(element, NAMES)
      const node = this.#node(element, parent, index, told)
      nodes.push(node)
      for (const [i, child] of (told['AXChildren'] as AxElement[]).entries()) visit(child, node.key, i)
    }
    for (const [i, window] of this.#app.windows().entries()) visit(window, undefined, i)
    return nodes
  }

  #node(element: AxElement, parent: string | undefined, index: number, told: Record<string, unknown>): FlatNode {
    const { AXRole, AXSubrole, AXTitle, AXDescription, AXValue, AXPosition, AXSize } = told
    const isPassword = AXSubrole === 'AXSecureTextField'
    const role = AXSubrole === 'AXDialog' ? 'dialog' : (ROLES[String(AXRole)] ?? toRole(String(AXRole)) ?? 'unknown')
    const isText = role === 'textbox'
    return {
      key: this.#keyOf(element),
      parent,
      index,
      app: 'app',
      role,
      // The text of a label is its value.
      name: String(AXTitle ?? AXDescription ?? (role === 'label' ? AXValue : '')),
      value: isText && !isPassword ? String(AXValue) : undefined,
      bounds: { ...(AXPosition as { x: number; y: number }), ...(AXSize as { w: number; h: number }) },
      states: {
        visible: true,
        enabled: told['AXEnabled'] === undefined ? undefined : told['AXEnabled'] === true,
        focused: told['AXFocused'] === true,
        active: role === 'window' || role === 'dialog' ? told['AXMain'] === true : undefined,
        checked: role === 'checkbox' ? AXValue === 1 : undefined,
        selected: told['AXSelected'] === undefined ? undefined : told['AXSelected'] === true,
        editable: isText ? this.#app.isSettable(element, 'AXValue') : undefined,
        multiline: AXRole === 'AXTextArea' ? true : undefined,
        password: isPassword ? true : undefined,
      },
    }
  }

  #keyOf(element: AxElement): string {
    const key = this.#keys.get(element) ?? `ax${this.#keys.size + 1}`
    this.#keys.set(element, key)
    this.#elements.set(key, element)
    return key
  }

  #mustKnow(key: string): AxElement {
    const element = this.#elements.get(key)
    if (element === undefined) throw new DeskhandError('STALE_REF', `there is no ${key}`)
    try {
      this.#app.attributes(element, ['AXRole'])
      return element
    } catch (thrown) {
      if (thrown instanceof AxError && thrown.code === AX_ERRORS.invalidElement) throw new DeskhandError('STALE_REF', `${key} is gone`)
      throw thrown
    }
  }

  #going<T>(ctx: Ctx, run: () => T): T {
    mustGoOn(ctx)
    return run()
  }

  async #no(cap: CapName): Promise<never> {
    mustBeCapable(this.#info().can, cap)
    throw new DeskhandError('NOT_CAPABLE', 'the double does not have this')
  }
}
