import { expect, test } from 'vitest'
import { Vision } from '@deskhand/vision'
import { HELD_OUT, LOOKED_AT } from './app-corpus.ts'
import { shots, type AppScreen } from './app-screens.ts'
import { faults, scoreStructure, type RoleScore } from './structure-score.ts'

/** Least share, in percent, of what is made out that is really there, and of what is there that is made out. */
const BARS: Readonly<Record<string, { precision: number; recall: number }>> = {
  button: { precision: 85, recall: 65 },
  checkbox: { precision: 80, recall: 60 },
  textbox: { precision: 60, recall: 45 },
  tab: { precision: 75, recall: 40 },
}

test.each([
  ['by which the rules were made', LOOKED_AT],
  ['that were not looked at', HELD_OUT],
])(
  'controls are made out in the pixels of windows %s, as their applications tell of them',
  async (_, screens: readonly AppScreen[]) => {
    const total = new Map<string, RoleScore>()
    const wrong: string[] = []
    const languages = [...new Set(screens.map((s) => s.language))]
    const eyes = new Map(languages.map((language) => [language, new Vision({ images: [], languages: [language] })]))
    try {
      for await (const { screen, picture, truth } of shots(screens)) {
        const frame = { ...picture, data: new Uint8Array(picture.data), origin: { x: 0, y: 0 }, scale: 1 }
        const parts = (await eyes.get(screen.language)?.structure(frame, AbortSignal.timeout(120_000))) ?? []
        wrong.push(`in ${screen.name}:`, ...faults(parts, truth))
        for (const [role, score] of scoreStructure(parts, truth)) total.set(role, sum(total.get(role), score))
      }
    } finally {
      for (const vision of eyes.values()) await vision.close()
    }
    for (const [role, bar] of Object.entries(BARS)) {
      const { made, right, told, found } = total.get(role) ?? sum(undefined)
      expect(told, `no ${role} to be found`).toBeGreaterThan(2)
      expect((100 * right) / made, `precision of ${role}\n${wrong.join('\n')}`).toBeGreaterThanOrEqual(bar.precision)
      expect((100 * found) / told, `recall of ${role}\n${wrong.join('\n')}`).toBeGreaterThanOrEqual(bar.recall)
    }
  },
  900_000,
)

const NONE: RoleScore = { made: 0, right: 0, told: 0, found: 0, named: 0 }

const sum = (a: RoleScore = NONE, b: RoleScore = NONE): RoleScore => ({
  made: a.made + b.made,
  right: a.right + b.right,
  told: a.told + b.told,
  found: a.found + b.found,
  named: a.named + b.named,
})
