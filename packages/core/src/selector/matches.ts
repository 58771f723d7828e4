import type { UiNode } from '../model/index.ts'
import type { Find, Link } from './ast.ts'
import type { Scope } from './scene.ts'

export interface Match {
  /** A region is a node that no driver knows; its key is its source and its place in `regions`, as in `ocr:0`. */
  node: UiNode
  /** 0…1: how sure it is that this is what was meant. */
  confidence: number
  /** Matches may share it. */
  why: readonly string[]
  source: 'structure' | 'ocr' | 'image'
}

/** What a step found, and where it looked. */
export interface MatchStep {
  find?: Find
  link?: Link
  scope?: Scope
  hits: UiNode[]
  /** After a relation: how far each hit is from its anchor, and what was there to choose from. */
  distances?: Map<UiNode, number>
  candidates?: UiNode[]
}
