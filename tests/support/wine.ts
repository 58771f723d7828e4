import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe } from 'vitest'
import { isWindowsReady } from '../../scripts/setup-windows.mjs'
import { testDesktop } from './desktop.ts'
import { enterWine, type Wine } from './wine-root.ts'

export { inside, NODE, onZ, type Wine } from './wine-root.ts'

/** Tests on Wine. Without its root (`npm run setup:windows`) they are skipped, but in CI they fail. */
export const describeWine = describe.skipIf(process.env.CI !== 'true' && !isWindowsReady())

/** A Windows of the test's own, with a screen of its own. */
export const openWine = async (): Promise<Wine> => enterWine(await testDesktop())

/** What NODE_OPTIONS says to load a double before a program. */
export function double(name: string): string {
  const file = fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url))
  return `--import=${pathToFileURL(file).href.replace('file:///', 'file:///Z:/')}`
}
