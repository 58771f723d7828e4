import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, type Opened } from 'deskhand'
import { median, spent, type Report } from '../report.ts'
import { missing, onDesk, run, type Desk, type Timed } from './desk.ts'

const STARTING_MS = 3_000

/** A Full HD screenshot as PNG, decided and recorded, beside those of scrot, maim and PIL; every pixel the same as maim's. */
export async function screen(report: Report): Promise<void> {
  const absent = missing('scrot', 'maim')
  if (absent !== undefined) return report.note(`screenshots: ${absent}`)
  await onDesk(report, 'screenshots', async (desk) => {
    desk.start('mousepad')
    desk.start('soffice', ['--calc', '--norestore', '--nologo', '--nofirststartwizard'])
    await desk.appears('mousepad')
    await desk.appears('soffice')
    const session = await open({ config: { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id } } })
    try {
      await compare(report, desk, session)
    } finally {
      await session.close()
    }
  })
}

async function compare(report: Report, desk: Desk, session: Opened): Promise<void> {
  const { env } = desk.sandbox
  const [byScrot, byMaim] = [join(env['HOME'] ?? '', 'scrot.png'), join(env['HOME'] ?? '', 'maim.png')]
  const [ours, scrot, maim]: [number[], number[], number[]] = [[], [], []]
  for (let i = 0; i < 20; i++) await shoot(session)
  // An application that still starts has the processor.
  await sleep(STARTING_MS)
  for (let i = 0; i < 15; i++) ours.push(await spent(() => shoot(session)))
  for (let i = 0; i < 9; i++) scrot.push(await spent(() => run('scrot', ['-o', byScrot], env)))
  for (let i = 0; i < 9; i++) maim.push(await spent(() => run('maim', ['-u', byMaim], env)))
  const byUs = join(env['HOME'] ?? '', 'ours.png')
  writeFileSync(byUs, await shoot(session))
  await run('maim', ['-u', byMaim], env)
  const differing = await desk.atspi
    .ask<number>({ do: 'differing', one: byUs, other: byMaim })
    .catch((error: unknown) => report.note(`PIL: ${String(error)}`))
  // A caret may blink between two pictures.
  if (differing !== undefined && differing > 0.001) throw new Error(`${differing * 100}% of our pixels differ from maim's`)
  const name = 'screenshot, 1920x1080, PNG'
  report.add({ name, unit: 'ms', ours: median(ours), peer: median(scrot), peerName: 'scrot', bar: { of: 'ratio', atLeast: 6 } })
  report.add({ name, unit: 'ms', ours: median(ours), peer: median(maim), peerName: 'maim', bar: { of: 'ratio', atLeast: 12 } })
  const pil = await desk.atspi
    .ask<Timed<unknown>>({ do: 'grab', display: env['DISPLAY'] })
    .catch((error: unknown) => report.note(`PIL: ${String(error)}`))
  report.add({ name, unit: 'ms', ours: median(ours), peer: pil?.ms, peerName: 'PIL, pixels only' })
}

export async function shoot(session: Opened): Promise<Buffer> {
  const { images, error } = await session.call('gui_screenshot')
  const [image] = images ?? []
  if (image === undefined) throw new Error(`no picture: ${error?.message ?? ''}`)
  return Buffer.from(image.data)
}
