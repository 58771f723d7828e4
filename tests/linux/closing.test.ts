import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Principal, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const FREE: Principal = { id: 'free', role: 'agent' }
const HELD: Principal = { id: 'held', role: 'agent' }
const POLICY = '[[rule]]\ntoolName = "ui.window"\nsubagent = "held"\ndecision = "deny"\npriority = 900\n'
const FAR = 90

describeDesktop('a window that a rule keeps as it is', () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ policy: POLICY })
  })
  afterAll(() => desk.close())

  const as = (who: Principal, tool: string, args: unknown): Promise<Result> => dispatch({ session: desk.session }, who, tool, args)
  /** Where it lies, as another program tells; nothing where it is gone. */
  const place = (title: string): string | undefined => {
    const script = `id=$(xdotool search --onlyvisible --name "${title}" | tail -1); [ -z "$id" ] || xdotool getwindowgeometry "$id"`
    return /Position: ([\d,]+)/.exec(desk.ask('sh', '-c', script))?.[1]
  }
  async function frameOf(title: string): Promise<{ x: number; y: number; w: number }> {
    const { data } = await as(FREE, 'ui.query', { selector: `role=window && name="${title}"` })
    const [found] = (data as { matches: { bounds: { x: number; y: number; w: number } }[] }).matches
    return found!.bounds
  }

  test('is neither moved nor closed by the frame around it', async () => {
    await desk.show('Keys', PYTHON, [fixture('keys_gtk3.py')])
    const [{ x, y, w }, at] = [await frameOf('Keys'), place('Keys')]
    const title = { x: x + 80, y: y - 9 }
    const drag = { from: title, to: { x: title.x + FAR, y: title.y + FAR } }
    for (const [tool, args] of [
      ['ui.click_xy', { x: x + w - 9, y: y - 9 }],
      ['gui_click', { x: x + w - 9, y: y - 9 }],
      ['ui.drag', drag],
    ] as const)
      expect((await as(HELD, tool, args)).error?.message, tool).toContain('denies ui.window')
    expect(place('Keys')).toBe(at)

    expect((await as(FREE, 'ui.drag', drag)).error).toBeUndefined()
    await expect
      .poll(() => place('Keys'))
      .toBe(
        at
          ?.split(',')
          .map((n) => Number(n) + FAR)
          .join(),
      )
    await expect.poll(() => frameOf('Keys')).toMatchObject({ x: x + FAR, y: y + FAR })
    const moved = await frameOf('Keys')
    expect((await as(FREE, 'ui.click_xy', { x: moved.x + moved.w - 9, y: moved.y - 9 })).error).toBeUndefined()
    await expect.poll(() => place('Keys')).toBe(undefined)
  })

  test('is not closed by the chord for what it shows', async () => {
    const file = join(desk.sandbox.env.HOME ?? '', 'kept.txt')
    writeFileSync(file, 'kept')
    await desk.show('kept.txt', 'mousepad', [file])
    const press = (who: Principal): Promise<Result> => as(who, 'ui.key', { target: 'role=textbox && app="mousepad"', keys: 'ctrl+w' })
    expect((await press(HELD)).error?.code).toBe('DENIED')
    expect(place('kept.txt')).toBeDefined()
    expect((await press(FREE)).error).toBeUndefined()
    await expect.poll(() => place('kept.txt')).toBe(undefined)
  })
})
