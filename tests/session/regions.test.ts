import { describe, expect, test } from 'vitest'
import type { Act } from '@deskhand/core/driver'
import type { Region } from '@deskhand/core/model'
import type { Recognizer } from '@deskhand/core/session'
import { openVirtual } from '@deskhand/driver-virtual'
import { Recall } from '../../packages/deskhand/src/cli/journal/recall.ts'
import { AGENT, desk, element, govern, OPERATOR, placeIn, window, type TestDesk } from '../support/desk.ts'

const UI = { windows: [window('Board', [element('button', 'Plain'), element('checkbox', 'Tick', { value: false })])] }

/** A recognizer that finds what it is told to, and counts how often it is asked. */
class FakeRecognizer implements Recognizer {
  regions: Region[] = []
  asked = 0

  async recognize(): Promise<readonly Region[]> {
    this.asked++
    return this.regions
  }
}

async function board(policy = ''): Promise<TestDesk & { eyes: FakeRecognizer; bounds(selector: string): Promise<Region['rect']> }> {
  const eyes = new FakeRecognizer()
  const d = await desk({ ui: UI, policy, ports: { recognizer: eyes } })
  const bounds = async (selector: string): Promise<Region['rect']> =>
    ((await d.call('ui.query', { selector })).data as { matches: { bounds: Region['rect'] }[] }).matches[0]!.bounds
  return { ...d, eyes, bounds }
}

const region = (rect: Region['rect'], text: string): Region => ({ rect, text, source: 'ocr', confidence: 0.8 })

/** The methods of an object with a prototype, as those of a plain one. */
const bound = (act: Act): Act => ({
  take: (...args) => act.take(...args),
  step: (...args) => act.step(...args),
  reply: (...args) => act.reply(...args),
  drop: (...args) => act.drop(...args),
  stop: (...args) => act.stop(...args),
})

describe('a place that was recognised in pixels', () => {
  test('is clicked in its middle, judged as the element that lies there, and recorded with its source', async () => {
    const d = await board()
    d.eyes.regions = [region(await d.bounds('name="Plain"'), 'Order now')]
    const result = await d.call('ui.click', { target: 'ocr:"Order now"' })
    expect(result).toMatchObject({ status: 'success', sent: 'all', resolvedTarget: { role: 'button', name: 'Plain' } })
    expect(result.resolvedTarget?.confidence).toBeLessThan(0.8)
    const [decided] = (await d.journal()).filter((e) => e.type === 'decided' && e.kind === 'click')
    expect(decided).toMatchObject({ targets: [{ source: 'ocr', role: 'button', says: ['Order now'], region: expect.anything() }] })
    expect(result.risk?.factors.map((f) => f.id)).toContain('source.ocr')
    const found = d.session.counters.read().counters.filter((c) => c.name === 'targets')
    expect(found).toContainEqual({ name: 'targets', labels: { source: 'ocr' }, value: 1 })
  })

  test('is a region of the window where no element lies, and rules can ask about what was only seen', async () => {
    const d = await board('[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n[rule.when]\nsource = "ocr"\n')
    const window = await d.bounds('role=window')
    d.eyes.regions = [region({ x: window.x + window.w - 40, y: window.y + window.h - 30, w: 30, h: 20 }, 'Delete everything')]
    const op = d.session.start({ tool: 'ui.click', kind: 'click', args: { target: 'ocr:"Delete everything"' }, principal: AGENT })
    await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
    const [question] = d.session.approvals.list()
    expect(question).toMatchObject({ summary: expect.stringContaining('region "Delete everything"'), targets: [{ source: 'ocr' }] })
    await d.session.invoke('approvals.answer', { id: question!.id, allow: true }, OPERATOR)
    expect(await op.result).toMatchObject({ status: 'success', sent: 'all' })
  })

  test('that says something else by the time of the click is not clicked', async () => {
    const d = await board('[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 900\n[rule.when]\nname = "Plain"\n')
    const place = await d.bounds('name="Plain"')
    d.eyes.regions = [region(place, 'Next')]
    const op = d.session.start({ tool: 'ui.click', kind: 'click', args: { target: 'ocr:"Next"' }, principal: AGENT })
    await expect.poll(() => d.session.approvals.list()).toHaveLength(1)
    d.eyes.regions = [region(place, 'Pay')]
    await d.call('ui.click', { target: 'name="Tick"' })
    // The question may be void by then, as there was other input in its window.
    const [waiting] = d.session.approvals.list()
    if (waiting !== undefined) await d.session.invoke('approvals.answer', { id: waiting.id, allow: true }, OPERATOR)
    expect(await op.result).toMatchObject({
      status: 'error',
      sent: 'none',
      error: { code: expect.stringMatching(/NOT_FOUND|TARGET_CHANGED/) },
    })
  })

  test('is verified, and replayed by what was read there, wherever that stands by then', async () => {
    const d = await board()
    const [plain, tick] = [await d.bounds('name="Plain"'), await d.bounds('name="Tick"')]
    d.eyes.regions = [region(tick, 'Agree')]
    const verify = { uiState: { target: 'name="Tick"', checked: true } }
    const result = await d.call('ui.click', { target: 'ocr:"Agree"', verify })
    expect(result).toMatchObject({ status: 'success', effect: 'confirmed', verification: { passed: true } })

    const entries = await d.journal()
    const decided = entries.find((e) => e.type === 'decided' && e.kind === 'click')
    const done = entries.find((e) => e.type === 'done' && e.op === result.op)
    if (decided?.type !== 'decided' || done?.type !== 'done') throw new Error('the call is in the record')
    const recalled = new Recall().step({ decided, done }, 0)
    if (!('step' in recalled)) throw new Error(recalled.skip)
    const { seq, tool, kind, args, as } = recalled.step
    const again = () => d.session.invoke('replay', { seq, tool, kind, args, as, dryRun: false }, OPERATOR)

    d.eyes.regions = [region(plain, 'Agree'), region(tick, 'Refuse')]
    expect(await again()).toMatchObject({ sent: 'all', resolvedTarget: { name: 'Plain' } })
    d.eyes.regions = [region(tick, 'Refuse')]
    expect(await again()).toMatchObject({ sent: 'none', error: { code: 'NOT_FOUND' } })
  })

  test('that another window covers right before the click is not clicked: the driver looks at the point once more', async () => {
    const over = { ...window('Over', [element('button', 'Pay')]), bounds_relative: [0.05, 0.05, 0.9, 0.9] }
    const under = { ...window('Board', [element('checkbox', 'Tick', { value: false })]), bounds_relative: [0.2, 0.2, 0.4, 0.4] }
    const driver = openVirtual({ ui: { windows: [over, under] } })
    const [eyes, clicks] = [new FakeRecognizer(), { sent: 0 }]
    const act: Act = {
      ...bound(driver.act),
      step: (lease, step, guard, ctx) => {
        clicks.sent++
        const [down, up] = (['down', 'up'] as const).map((type) => ({ type, button: 'left' as const }))
        driver.human({ do: 'pointer', events: [{ type: 'move', x: 1000, y: 700 }, down!, up!] })
        return driver.act.step(lease, step, guard, ctx)
      },
    }
    const ports = { desktop: 'virtual', mode: 'simulation_only', recognizer: eyes } as const
    const d = await govern({ ...driver, act }, '', ports)
    const place = placeIn(await d.call('ui.query', { selector: 'name="Tick"' }))
    eyes.regions = [region(place, 'Agree')]
    const clicked = await d.call('ui.click', { target: 'ocr:"Agree"', timeoutMs: 0 })
    expect(clicked).toMatchObject({ status: 'error', sent: 'none', error: { code: 'NOT_ACTIONABLE' } })
    expect(clicks.sent).toBeGreaterThan(0)
    expect(
      driver
        .describe()
        .map((one) => JSON.stringify(one))
        .join(),
    ).toContain('"value":false')
  })

  test('is looked for only by selectors that ask for pixels, and not again while nothing was drawn', async () => {
    const d = await board()
    d.eyes.regions = [region(await d.bounds('name="Plain"'), 'Go')]
    await d.call('ui.query', { selector: 'role=button' })
    expect(d.eyes.asked).toBe(0)
    await d.call('ui.query', { selector: 'ocr:"Go"' })
    await d.call('ui.query', { selector: 'ocr:"Go"' })
    expect(d.eyes.asked).toBe(1)
  })

  test('cannot be found where no recognizer is set up, and the answer says so', async () => {
    const d = await desk({ ui: UI })
    expect((await d.call('ui.click', { target: 'ocr:"Go"' })).error).toMatchObject({
      code: 'NOT_CAPABLE',
      message: expect.stringContaining('recognizer'),
    })
  })

  test('is not needed where an alternative before it names an element', async () => {
    const d = await desk({ ui: UI })
    expect(await d.call('ui.query', { selector: 'name="Tick" ?? ocr:"Go"' })).toMatchObject({ status: 'success', data: { count: 1 } })
    expect((await d.call('ui.query', { selector: 'name="Missing" ?? ocr:"Go"' })).error).toMatchObject({ code: 'NOT_CAPABLE' })
  })
})
