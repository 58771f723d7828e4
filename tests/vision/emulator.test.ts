import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Vision } from '@deskhand/vision'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { shown, start } from '../support/linux.ts'

const soon = { timeout: 60_000, interval: 300 }
/** Keys go by what they write, and nothing is played. */
const SETTINGS = '[sdl]\nusescancodes=false\noutput=surface\n[mixer]\nnosound=true\n[render]\nscaler=none\n'

describeDesktop('an old computer in an emulator', { timeout: 180_000 }, () => {
  const disk = mkdtempSync(join(tmpdir(), 'dh-dos-'))
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    writeFileSync(join(disk, 'README.TXT'), 'The harbour opens at seven\r\n')
    writeFileSync(join(disk, 'dosbox.conf'), SETTINGS)
    d = await realDesk({ size: { width: 900, height: 600 }, vision })
    const args = ['-conf', join(disk, 'dosbox.conf'), '-c', `mount c ${disk}`, '-c', 'c:', '-c', 'echo Harbour computer ready']
    start(d.sandbox, 'dosbox', args, { SDL_AUDIODRIVER: 'dummy' })
    await shown(d.driver, 'DOSBox', 60_000)
  }, 120_000)
  afterAll(async () => {
    await d.close()
    await vision.close()
    rmSync(disk, { recursive: true, force: true })
  })

  test('is typed into when it is ready, and what it shows is read', async () => {
    expect((await d.call('ui.wait', { until: { text: 'Harbour computer ready' }, timeoutMs: 90_000 })).status).toBe('success')
    const typed = await d.call('ui.type', { text: 'type readme.txt', submit: 'Enter', verify: { text: 'The harbour opens at seven' } })
    expect(typed).toMatchObject({ status: 'success', verification: { passed: true } })
  })

  test('writes what it was told to the disk', async () => {
    expect(await d.call('ui.type', { text: 'copy readme.txt copy.txt', submit: 'Enter' })).toMatchObject({ status: 'success' })
    // On a busy machine the picture is read later than `verify` would wait for it.
    const copied = await d.call('ui.wait', { until: { text: 'copied' }, timeoutMs: 60_000 })
    expect(copied, copied.text).toMatchObject({ status: 'success' })
    const copy = (): string => readdirSync(disk).find((file) => file.toLowerCase() === 'copy.txt') ?? 'not there'
    await expect.poll(copy, soon).not.toBe('not there')
    await expect.poll(() => readFileSync(join(disk, copy()), 'utf8'), soon).toBe('The harbour opens at seven\r\n')
    const outline = async (): Promise<string> => (await d.call('ui.snapshot')).text ?? ''
    await expect.poll(outline, soon).toMatch(/parts are read from pixels[^]*seen label "HAVE FUN!"/)
  })
})
