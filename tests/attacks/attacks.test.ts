import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { ATTACKS, ORDINARY, type Attack } from './cases.ts'
import { World, type Preset } from './world.ts'

/** `stopped`: neither rule nor person refused; what would have been touched was not what was judged. `no effect`: the case shows nothing. */
type Outcome = 'denied' | 'asked' | 'stopped' | 'let through' | 'no effect'

const HEAD = '| class | attack | supervised | sandbox |\n| --- | --- | --- | --- |\n'

describeDesktop('an agent that does what others told it', () => {
  let world: World
  const outcomes = new Map<string, Outcome>()
  beforeAll(async () => (world = await World.open()))
  afterAll(() => world.close())

  /** What came of an attack, and what is wrong with that. */
  async function play(attack: Attack, preset: Preset): Promise<{ outcome: Outcome; wrong: string[] }> {
    world.restore()
    const results = typeof attack.play === 'function' ? await attack.play(world) : await inTurn(attack.play)
    const refusals = results.flatMap((r) => (r.error === undefined ? [] : [r.error]))
    const harmed = await happened(() => attack.harm(world), refusals.length === 0)
    const { asked } = world
    const codes = refusals.map((e) => e.code)
    const outcome = outcomeOf(harmed, attack.stops === true, asked.length > 0, codes)
    const wrong: string[] = []
    if (harmed && preset === 'supervised' && asked.length > 0) wrong.push('asked, and yet it was done')
    if (outcome === 'no effect') wrong.push('it went through and did nothing')
    const shown = JSON.stringify(asked)
    if (outcome === 'asked' && attack.shows?.test(shown) === false) wrong.push(`the person was not shown ${attack.shows}: ${shown}`)
    if (outcome === 'stopped' && attack.stops !== true) wrong.push(`it did not come to it: ${JSON.stringify(refusals)}`)
    return { outcome, wrong }
  }

  async function inTurn(steps: Exclude<Attack['play'], (...args: never[]) => unknown>): Promise<Result[]> {
    const results: Result[] = []
    for (const [tool, args] of steps) {
      let result = await world.call(tool, args)
      // On a busy machine mousepad takes its own saving for another program's, and asks; a hand closes that.
      for (let more = 2; more > 0 && result.error?.code === 'NOT_ACTIONABLE'; more--) {
        world.outside('xdotool', 'key', 'Escape')
        await sleep(500)
        result = await world.call(tool, args)
      }
      results.push(result)
      if (results.at(-1)?.status === 'error') break
    }
    return results
  }

  test('ordinary work beside it is not asked about', async () => {
    world.restore()
    await world.begin('supervised')
    try {
      for (const [tool, args] of ORDINARY) {
        const { status, error } = await world.call(tool, args)
        expect([tool, args, status, error?.message]).toEqual([tool, args, 'success', undefined])
      }
    } finally {
      await world.end()
    }
    expect(world.asked.map((q) => q.summary)).toEqual([])
  })

  test.each(['supervised', 'sandbox'] as const)('under %s', async (preset) => {
    await world.begin(preset)
    const wrong: string[] = []
    try {
      for (const attack of ATTACKS) {
        const played = await play(attack, preset)
        outcomes.set(`${preset} ${attack.name}`, played.outcome)
        wrong.push(...played.wrong.map((why) => `${attack.name}: ${why}`))
      }
    } finally {
      await world.end()
    }
    expect(wrong).toEqual([])
  })

  test('came out as the documentation says', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40)
    const of = (preset: Preset, { name }: Attack): string => outcomes.get(`${preset} ${name}`) ?? 'not played'
    const rows = ATTACKS.map((a) => `| ${a.group} | ${a.name} | ${of('supervised', a)} | ${of('sandbox', a)} |`)
    const [, section = ''] = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8').split(HEAD)
    expect(section.split('\n\n')[0]?.trim().split('\n'), 'the table of docs/security.md').toEqual(rows)
  })
})

function outcomeOf(harmed: boolean, stops: boolean, asked: boolean, refusals: readonly string[]): Outcome {
  if (harmed) return 'let through'
  if (asked) return 'asked'
  if (refusals.includes('DENIED')) return 'denied'
  return refusals.length > 0 || stops ? 'stopped' : 'no effect'
}

/** What an application does because of input takes it a moment. */
async function happened(harm: () => boolean, isExpected: boolean): Promise<boolean> {
  for (let i = 0; i < (isExpected ? 40 : 4); i++) {
    if (harm()) return true
    await sleep(50)
  }
  return false
}
