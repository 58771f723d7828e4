import { DeskhandError } from '@deskhand/core/errors'
import type { DesktopKind } from '@deskhand/core/model'
import type { Cap } from '@deskhand/core/driver'
import type { Ports } from '@deskhand/core/session'
import { heldBack, type Vision } from '@deskhand/vision'
import type { Config } from '../config.ts'
import { findPrograms } from '../desktop/programs.ts'

type Others = ReturnType<NonNullable<Ports['otherDrivers']>>

/** Every driver but the one in use, with the reason and the fix where it cannot be used. */
export function otherDrivers(inUse: DesktopKind): Others {
  const linux: Others = inUse === 'virtual' ? [sandbox()] : []
  const virtual: Others = inUse === 'virtual' ? [] : [{ kind: 'virtual', available: true }]
  return [
    ...virtual,
    ...linux,
    ...(inUse === 'host' && process.platform === 'win32' ? [] : [windows()]),
    { kind: 'macos', available: false, reason: 'Deskhand has no driver for macOS yet' },
  ]
}

const windows = (): Others[number] =>
  process.platform === 'win32'
    ? { kind: 'windows', available: true }
    : { kind: 'windows', available: false, reason: 'it operates the session of Windows that Deskhand runs in', fix: 'Run Deskhand there.' }

/** What does not depend on the driver. */
export const features = (config: Config, vision: Pick<Vision, 'canRead' | 'effort'>): ReturnType<NonNullable<Ports['features']>> => ({
  imageSearch: config.vision.images.length > 0 ? { ok: true } : NO_IMAGES,
  readText: readText(vision),
})

/** Whether text can be read, and what is held back because the machine is busy. */
function readText({ canRead, effort }: Pick<Vision, 'canRead' | 'effort'>): Cap {
  const held = heldBack(effort)
  return canRead.ok && held !== undefined ? { ...canRead, lacks: [canRead.lacks, held].filter(Boolean).join('; ') } : canRead
}

/** Scripts can still look for what they cut out of a screenshot. */
const NO_IMAGES: Cap = {
  ok: false,
  reason: 'no folder of pictures is lent, so image: selectors and locateOnScreen() know no picture by name',
  fix: 'name the element instead, or have the operator set images = ["…"] under [vision] in deskhand.toml',
}

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
