import { DeskhandError } from '../../errors.ts'
import type { AppIdentity, Completeness, FlatNode } from '../../model/index.ts'
import type { Cap, CapName, Driver, DriverInfo } from '../driver.ts'

/** One driver of a composite. Its keys, apps, captures and requests carry a prefix outside, which names the driver and its life. */
export class Part {
  readonly driver: Driver
  readonly index: number
  info: DriverInfo
  /** Why it is left out at present. */
  down: DeskhandError | undefined
  #life = 0
  #prefix: string

  constructor(driver: Driver, index: number, info: DriverInfo) {
    this.driver = driver
    this.index = index
    this.info = info
    this.#prefix = `${index}-0.`
  }

  /** The driver was started anew: what it called by some key before may be something else by now. */
  renew(): void {
    this.#prefix = `${this.index}-${++this.#life}.`
  }

  can(name: CapName): boolean {
    return this.cap(name).ok
  }

  cap(name: CapName): Cap {
    return this.down === undefined ? this.info.can[name] : { ok: false, reason: `the driver ${this.info.name} ended: ${this.down.message}` }
  }

  outer(id: string): string {
    return this.#prefix + id
  }

  owns(id: string): boolean {
    return id.startsWith(this.#prefix)
  }

  /** What the driver itself calls it; only for ids that it owns. */
  inner(id: string): string {
    return id.slice(this.#prefix.length)
  }

  node(node: FlatNode): FlatNode {
    return {
      ...node,
      key: this.outer(node.key),
      parent: node.parent === undefined ? undefined : this.outer(node.parent),
      app: this.outer(node.app),
      driver: node.driver ?? this.info.kind,
    }
  }

  app(app: AppIdentity): AppIdentity {
    return { ...app, id: this.outer(app.id) }
  }

  reasons({ reasons }: Completeness): Completeness['reasons'] {
    return reasons.map((r) => (r.app === undefined ? r : { ...r, app: this.outer(r.app) }))
  }
}

/** The drivers of one desktop, the preferred one first. */
export class Parts {
  readonly all: readonly Part[]

  constructor(all: readonly Part[]) {
    this.all = all
  }

  ownerOf(id: string): Part | undefined {
    return this.all.find((p) => p.owns(id))
  }

  mustOwn(id: string): Part {
    const part = this.ownerOf(id)
    if (part === undefined) throw new DeskhandError('STALE_REF', `no driver of this desktop knows ${id} any more`)
    return part
  }

  get up(): Part[] {
    return this.all.filter((p) => p.down === undefined)
  }

  /** The preferred driver among those that can do it here. */
  first(name: CapName): Part | undefined {
    return this.all.find((p) => p.can(name))
  }

  mustFind(name: CapName): Part {
    const part = this.first(name)
    if (part !== undefined) return part
    const cap = this.cap(name)
    throw cap.ok
      ? new DeskhandError('INTERNAL', `${name} is possible and impossible`)
      : new DeskhandError('NOT_CAPABLE', cap.reason, { next: cap.fix })
  }

  /** Possible where one driver can do it; otherwise the reasons of all. */
  cap(name: CapName): Cap {
    const caps = this.all.map((p) => p.cap(name))
    const gaps = caps.filter((c) => !c.ok)
    const [first] = gaps
    if (first === undefined || gaps.length < caps.length) return { ok: true }
    const reasons = [...new Set(gaps.map((c) => c.reason))]
    return { ...first, reason: reasons.join('; ') }
  }
}
