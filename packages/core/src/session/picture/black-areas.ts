import type { Frame } from '../../driver/driver.ts'
import { intersect, type AppIdentity, type Rect, type Result } from '../../model/index.ts'
import type { HiddenArea, Why } from './hidden-area.ts'

type Counts = NonNullable<NonNullable<Result['evidence']>['redactions']>

/** The hidden areas that lie in a picture, each once. */
export function blackIn({ origin, width, height, scale }: Frame, masked: readonly HiddenArea[]): HiddenArea[] {
  const shown: Rect = { ...origin, w: width / scale, h: height / scale }
  const inside = masked.filter((m) => intersect(m.rect, shown) !== undefined)
  return [...new Map(inside.map((m) => [Object.values(m.rect).join(), m])).values()]
}

/** Why how many areas are black. */
export function countsOf(black: readonly HiddenArea[]): Counts {
  const counts: Counts = {}
  for (const { why } of black) counts[why] = (counts[why] ?? 0) + 1
  return counts
}

/** What of a picture is black or blank, why, and what helps; undefined where there is nothing to say. Only applications that the viewer may know of are named. */
export function explain(blank: boolean, black: readonly HiddenArea[], visible: (app: AppIdentity) => boolean): string | undefined {
  const lines = (Object.keys(WORDS) as Why[]).flatMap((why) => {
    const areas = black.filter((b) => b.why === why)
    if (areas.length === 0) return []
    const names = new Set(areas.flatMap(({ app }) => (app !== undefined && visible(app) ? [app.name] : [])))
    return [`black: ${names.size > 0 ? `${[...names].slice(0, 3).join(', ')}, ` : ''}${WORDS[why]}`]
  })
  if (blank) lines.push('the picture is of one colour: nothing is painted there, or not yet. Look again in a moment, or take a snapshot.')
  return lines.length > 0 ? lines.join('\n') : undefined
}

const WORDS: { [W in Why]: string } = {
  password: 'where password fields are',
  private: 'what looks private, as a rule demands',
  hidden: 'what the policy hides from you',
  covered: 'where windows of other applications lie over it; activate the window (ui.window), or capture the screen.',
  unread: 'which is still being read and may hold a password field. Look again in a moment.',
  hung: 'which does not answer and may hold a password field. Look again later, or end it: desktop.close with force.',
  treeless: 'which does not tell what it shows; privacy.treeless = "show" lets the operator show it.',
}
