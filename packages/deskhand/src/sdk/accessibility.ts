import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { ElementNode, toRole, type Rect } from '@deskhand/core/model'
import type { Desk } from './desk.ts'

/** A part of the screen, and its middle. */
export class ScreenRegion {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number

  constructor(x: number, y: number, width: number, height: number) {
    this.x = x
    this.y = y
    this.width = width
    this.height = height
  }

  get center(): [number, number] {
    return [this.x + Math.floor(this.width / 2), this.y + Math.floor(this.height / 2)]
  }
}

/** An element of the accessibility tree with everything below it. */
export interface AccessibleElement {
  name: string
  role: string
  description: string
  bounds: ScreenRegion
  states: string[]
  children: AccessibleElement[]
}

/** The accessibility tree, as far as the caller may see it. */
export class AccessibilityTree {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async get_desktop(): Promise<AccessibleElement> {
    return this.#tree('desktop')
  }

  async get_focused_application(): Promise<AccessibleElement | null> {
    const { data, error } = await this.#desk.call('desktop.list')
    if (error !== undefined) throw DeskhandError.revive(error)
    const { applications } = z.object({ applications: z.array(Application) }).parse(data)
    const focused = applications.find(({ windows }) => windows.some((w) => w.active === true))
    if (focused === undefined) return null
    const { children } = await this.#tree('app')
    return { name: focused.name, role: 'application', description: '', bounds: around(children), states: ['active'], children }
  }

  async find_by_name(name: string, partial = false): Promise<AccessibleElement[]> {
    const wanted = name.toLowerCase()
    return this.#find((e) => (partial ? e.name.toLowerCase().includes(wanted) : e.name.toLowerCase() === wanted))
  }

  async find_by_role(role: string): Promise<AccessibleElement[]> {
    const wanted = toRole(role) ?? role.toLowerCase()
    return this.#find((e) => e.role === wanted)
  }

  async #find(test: (e: AccessibleElement) => boolean): Promise<AccessibleElement[]> {
    const found: AccessibleElement[] = []
    const walk = (e: AccessibleElement): void => {
      if (test(e)) found.push(e)
      e.children.forEach(walk)
    }
    walk(await this.get_desktop())
    return found
  }

  async #tree(scope: 'desktop' | 'app'): Promise<AccessibleElement> {
    const result = await this.#desk.call('ui.snapshot', { scope, includeTree: true })
    if (result.error !== undefined) throw DeskhandError.revive(result.error)
    return accessible(z.object({ tree: ElementNode }).parse(result.data).tree)
  }
}

const Application = z.object({ name: z.string(), windows: z.array(z.object({ active: z.boolean().optional() })) })

/** The smallest region with all of these in it. */
function around(elements: readonly AccessibleElement[]): ScreenRegion {
  const regions = elements.map((e) => e.bounds).filter((b) => b.width > 0)
  const [x, y] = [Math.min(...regions.map((b) => b.x)), Math.min(...regions.map((b) => b.y))]
  const [right, bottom] = [Math.max(...regions.map((b) => b.x + b.width)), Math.max(...regions.map((b) => b.y + b.height))]
  return regions.length === 0 ? new ScreenRegion(0, 0, 0, 0) : new ScreenRegion(x, y, right - x, bottom - y)
}

function accessible({ name = '', role, description = '', bounds, states = {}, children = [] }: ElementNode): AccessibleElement {
  const b: Rect = bounds ?? { x: 0, y: 0, w: 0, h: 0 }
  return {
    name,
    role,
    description,
    bounds: new ScreenRegion(b.x, b.y, b.w, b.h),
    states: Object.entries(states).flatMap(([state, is]) => (is === true ? [state] : [])),
    children: children.map(accessible),
  }
}
