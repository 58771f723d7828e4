import { randomUUID } from 'node:crypto'
import { ActivityLog, AirbagMode, type Driver, type DriverInfo, packageVersion, PROTOCOL } from '@deskhand/core/driver'
import { Actor } from './act.ts'
import { Airbag } from './airbag/airbag.ts'
import { capabilities } from './caps.ts'
import { WindowsDesktop } from './desktop.ts'
import { observeDesktop } from './observe.ts'
import { SendInput } from './win32/input.ts'
import { desktopArea, seePixels } from './win32/screen.ts'

const VERSION = packageVersion(import.meta.url)

type Env = Readonly<Record<string, string | undefined>>

/** Opens the desktop of this process's session; DESKHAND_URN is what the caller calls it. */
export async function openWindows(env: Env): Promise<Driver> {
  seePixels()
  const activity = new ActivityLog(desktopArea())
  const desk = new WindowsDesktop((area) => activity.draw(area))
  const input = new SendInput()
  const mode = AirbagMode.catch('off').parse(env['DESKHAND_AIRBAG'])
  const airbag =
    mode === 'off' ? undefined : await Airbag.start({ mode, mark: input.mark, excepted: env['DESKHAND_AIRBAG_EXCEPT'] ?? '' }, activity)
  const info = describe(env, airbag)
  if (airbag instanceof Airbag)
    airbag.onGone = (reason) => {
      info.airbag = airbag.does
      info.can.humanInput = capabilities(false, reason).humanInput
      desk.log.add({ type: 'can' })
    }
  const actor = new Actor(desk, activity, info.can, input)
  return {
    observe: observeDesktop(desk, activity, info),
    act: actor,
    async close() {
      await actor.stop()
      if (airbag instanceof Airbag) airbag.close()
      activity.close()
      desk.close()
    },
  }
}

function describe(env: Env, airbag: Airbag | string | undefined): DriverInfo {
  return {
    protocol: PROTOCOL,
    kind: 'windows',
    name: 'windows',
    version: VERSION,
    prefixes: ['win32'],
    desktop: env['DESKHAND_URN'] ?? `urn:deskhand:host:${env['SESSIONNAME'] ?? 'windows'}`,
    epoch: randomUUID(),
    can: capabilities(airbag instanceof Airbag, typeof airbag === 'string' ? airbag : undefined),
    ...(airbag !== undefined && { airbag: typeof airbag === 'string' ? { mode: 'off', reason: airbag } : airbag.does }),
  }
}
