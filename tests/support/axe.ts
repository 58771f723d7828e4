import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string
  nodes: { html: string }[]
}

/** What axe finds on a page, in the light and in the dark, that keeps a person from using it. */
export async function serious(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' })
    const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] }
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical') found.push(`${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }
  return found
}
