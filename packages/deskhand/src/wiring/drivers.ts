import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopKind } from '@deskhand/core/model'
import type { Ports } from '@deskhand/core/session'
import { findPrograms } from '../desktop/programs.ts'

type Others = ReturnType<NonNullable<Ports['otherDrivers']>>

/** Every driver but the one in use, with the reason and the fix where it cannot be used. */
export function otherDrivers(inUse: DesktopKind): Others {
  const linux: Others = inUse === 'virtual' ? [sandbox()] : []
  const virtual: Others = inUse === 'virtual' ? [] : [{ kind: 'virtual', available: true }]
  return [
    ...virtual,
    ...linux,
    { kind: 'windows', available: false, reason: 'Deskhand has no driver for Windows yet' },
    { kind: 'macos', available: false, reason: 'Deskhand has no driver for macOS yet' },
  ]
}

/** What does not depend on the driver. */
export const features: NonNullable<Ports['features']> = () => ({
  imageSearch: {
    ok: false,
    reason: 'nothing here searches the screen for a picture, so locateOnScreen() and the image: selectors find nothing',
    fix: 'name the element instead: ui.query, or gui_find_element',
  },
})

function sandbox(): Others[number] {
  if (process.platform !== 'linux') return { kind: 'linux', available: false, reason: `this is ${process.platform}` }
  try {
    findPrograms()
    return { kind: 'linux', available: true }
  } catch (thrown) {
    const { message, next } = DeskhandError.from(thrown)
    return { kind: 'linux', available: false, reason: message, fix: next }
  }
}
