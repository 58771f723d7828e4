import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Vision } from '@deskhand/vision'
import { AGENT } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'

const soon = { timeout: 90_000, interval: 300 }
/** What the terminal shows at first, and once a key was pressed. */
const PROGRAM = `printf '\\n  Invoice for Harbour Road\\n\\n  Card 4111 1111 1111 1111 valid\\n\\n  Write to ada@example.org soon\\n\\n  Badge B-7351 of staff\\n\\n'
stty -echo -icanon min 1; dd bs=1 count=1 2>/dev/null >/dev/null
printf '  Second card 5500 0000 0000 0004 valid\\n\\n  Finished now\\n'; sleep 3600`
const POLICY = `[[rule]]
toolName = ["ui.capture", "gui_screenshot", "evidence.picture"]
decision = "allow"
priority = 900
obligations = { redact = true }

[private]
own = { badge = "B-?[0-9]{4}" }
`

describeDesktop('a terminal that shows card numbers and addresses, where rules ask to hide them', { timeout: 240_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'dh-private-'))
  const vision = new Vision({ images: [] })
  let d: RealDesk

  beforeAll(async () => {
    d = await realDesk({ size: { width: 1000, height: 600 }, vision, policy: POLICY })
    writeFileSync(join(dir, 'show.sh'), PROGRAM)
    const look = ['-T', 'Private', '-fa', 'DejaVu Sans Mono', '-fs', '15', '-geometry', '60x16+20+20']
    await d.show('Private', 'xterm', [...look, '-e', 'sh', join(dir, 'show.sh')])
    await vi.waitFor(async () => expect(fromOutside()).toMatch(/valid/), soon)
  }, 120_000)
  afterAll(async () => {
    await d.close()
    await vision.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** What a reader that is not ours reads in a picture. */
  const readBy = (png: Uint8Array): string => {
    const file = join(dir, 'picture.png')
    writeFileSync(file, png)
    return execFileSync('tesseract', [file, '-', '--psm', '6'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  }
  /** … and what it reads on the screen itself. */
  const fromOutside = (): string => {
    d.ask('maim', join(dir, 'screen.png'))
    return execFileSync('tesseract', [join(dir, 'screen.png'), '-', '--psm', '6'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  test('they are black in what tools answer, and everything else is there', async () => {
    expect(fromOutside()).toMatch(/1111.*7351/s)
    const { images, error } = await d.call('gui_screenshot')
    expect(error).toBeUndefined()
    const text = readBy(images![0]!.data)
    expect(text).toMatch(/Harbour Road/)
    expect(text).not.toMatch(/1111|ada|example|7351/)
  })

  test('they are black in the picture beside a snapshot, and it says why', async () => {
    const result = await d.call('ui.snapshot', { includeScreenshot: true })
    expect(readBy(result.images![0]!.data)).not.toMatch(/1111|ada|example|7351/)
    expect(result.evidence?.redactions?.private).toBeGreaterThanOrEqual(3)
  })

  test('they are black in the live picture, also what is drawn while it is watched', async () => {
    const shown: string[] = []
    const signal = AbortSignal.timeout(120_000)
    for await (const parts of d.session.frames({ principal: AGENT }, { encoding: 'png', signal })) {
      for (const { bytes, rect } of parts) if (rect.w > 60 && rect.h > 12) shown.push(readBy(bytes))
      if (shown.length === 1) await d.call('ui.key', { keys: 'x' })
      if (shown.some((text) => /Finished/.test(text))) break
    }
    expect(shown.join('\n')).toMatch(/Finished/)
    expect(shown.join('\n')).toMatch(/Harbour Road/)
    expect(shown.join('\n')).not.toMatch(/1111|0000|ada|example|7351/)
    expect(fromOutside()).toMatch(/0000/)
  })
})
