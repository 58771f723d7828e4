import type { MirrorNode } from './node.ts'
import { ROLE, roleOf } from './roles.ts'

/** LibreOffice makes a combobox of a field, a button and a hidden box, which has the label. */
export function boxBeside({ app, role, parent }: MirrorNode): MirrorNode | undefined {
  const isPart = role === ROLE.TOGGLE_BUTTON || roleOf(role) === 'textbox'
  if (!app.toolkit.isDisplaced || !isPart || parent?.role !== ROLE.FILLER) return undefined
  return parent.children.find((c) => c.role === ROLE.COMBO_BOX)
}

/** The name of the nearest label left of a part of such a combobox, where the application says of no label that it belongs there. */
export function labelBeside(node: MirrorNode): string | undefined {
  const { bounds: b, parent } = node
  if (b === undefined || boxBeside(node) === undefined) return undefined
  const left = (parent?.parent?.children ?? []).flatMap(({ role, name, bounds: l }) => {
    const isBeside = l !== undefined && l.y < b.y + b.h && b.y < l.y + l.h && l.x + l.w <= b.x
    return isBeside && roleOf(role) === 'label' && name !== '' ? [{ name, gap: b.x - l.x - l.w }] : []
  })
  return left.toSorted((x, y) => x.gap - y.gap)[0]?.name
}
