import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { within, type HostedDriver } from '@deskhand/core/driver'
import { DeskhandError } from '@deskhand/core/errors'
import type { FlatNode, Rect } from '@deskhand/core/model'
import type { Picture } from '@deskhand/vision'
import { linuxHost, shown, start, told } from '../support/linux.ts'
import { testDesktop } from '../support/desktop.ts'

/** A window of a real application, and how it is to look. */
export interface AppScreen {
  name: string
  title: string
  command: string
  args: readonly string[]
  language: string
  dark?: boolean
  /** 192 dpi instead of 96. */
  large?: boolean
}

/** What its application says of an element that can be seen in the picture, in pixels of the picture. */
export interface Told {
  role: string
  name: string
  value: string
  rect: Rect
  checked?: boolean | 'mixed'
  parent?: string
  key: string
}

export interface Shot {
  picture: Picture
  truth: Told[]
}

const SETTLE_MS = 700

/** The pixels of each window and what its accessibility tree says of them, one after the other on one desktop. */
export async function* shots(screens: readonly AppScreen[]): AsyncGenerator<Shot & { screen: AppScreen }> {
  const sandbox = await testDesktop({ width: 1920, height: 1080 })
  const driver = await linuxHost(sandbox)
  const locales = mkdtempSync(join(tmpdir(), 'dh-locales-'))
  try {
    for (const language of new Set(screens.map((s) => s.language))) addLocale(locales, language)
    for (const screen of screens) {
      const child = start(sandbox, screen.command, [...screen.args], environment(screen, locales))
      try {
        await shown(driver, screen.title)
        await told(driver).catch(() => {})
        await new Promise((r) => setTimeout(r, SETTLE_MS))
        yield { screen, ...(await taken(driver, screen.title)) }
      } finally {
        const gone = new Promise((r) => child.once('exit', r))
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL')
          await gone
        }
        await empty(driver)
      }
    }
  } finally {
    await driver.close()
    await sandbox.down()
    rmSync(locales, { recursive: true, force: true })
  }
}

/** A window gets another key with its tree, which on a busy machine may come at any time. */
async function taken(driver: HostedDriver, title: string, tries = 5): Promise<Shot> {
  try {
    return await shot(driver, await shown(driver, title))
  } catch (thrown) {
    if (tries === 0 || DeskhandError.from(thrown).code !== 'STALE_REF') throw thrown
    return taken(driver, title, tries - 1)
  }
}

/** The next window must not be taken for the last one. */
async function empty(driver: HostedDriver): Promise<void> {
  for (let looks = 0; looks < 100; looks++) {
    const { nodes, cursor } = await driver.observe.read({}, within(10_000))
    if (nodes.length === 0) return
    await driver.observe.changes(cursor, 100, within(10_000))
  }
}

const LOCALES: Readonly<Record<string, string>> = {
  en: 'en_GB',
  de: 'de_DE',
  fr: 'fr_FR',
  es: 'es_ES',
  zh: 'zh_CN',
  ja: 'ja_JP',
  ko: 'ko_KR',
}

/** Applications speak a language only where its locale is there. */
function addLocale(folder: string, language: string): void {
  const name = LOCALES[language] ?? 'en_GB'
  execFileSync('localedef', ['-i', name, '-f', 'UTF-8', '--no-archive', join(folder, `${name}.UTF-8`)], { stdio: 'ignore' })
}

function environment({ language, dark, large }: AppScreen, locales: string): Record<string, string> {
  return {
    LOCPATH: locales,
    LANG: `${LOCALES[language] ?? 'en_GB'}.UTF-8`,
    LANGUAGE: language === 'zh' ? 'zh_CN' : language,
    ...(dark && { GTK_THEME: 'Adwaita:dark' }),
    ...(large && { GDK_DPI_SCALE: '2', QT_SCALE_FACTOR: '2' }),
  }
}

async function shot(driver: HostedDriver, window: string): Promise<Shot> {
  const { id, width, height, origin, scale } = await driver.observe.capture({ window }, within(10_000))
  const data = await driver.observe.render(id, { hide: [], as: 'rgba' }, within(10_000))
  const { nodes } = await driver.observe.read({}, within(20_000))
  const inside = below(nodes, window)
  const truth = inside.flatMap((n): Told[] => {
    const { bounds: b, role, name = '', value = '', states, parent, key } = n
    if (b === undefined || b.w < 3 || b.h < 3 || states?.visible === false) return []
    const rect = { x: (b.x - origin.x) * scale, y: (b.y - origin.y) * scale, w: b.w * scale, h: b.h * scale }
    if (rect.x < 0 || rect.y < 0 || rect.x + rect.w > width || rect.y + rect.h > height) return []
    return [{ role, name, value, rect, checked: states?.checked, parent, key }]
  })
  return { picture: { width, height, data: new Uint8Array(data) }, truth }
}

/** What lies in a window; nothing of a page that is not shown, whatever its parts say of themselves. */
function below(nodes: readonly FlatNode[], root: string): FlatNode[] {
  const keys = new Set([root])
  return nodes.filter((n) => (n.parent !== undefined && keys.has(n.parent) && n.states?.visible !== false ? keys.add(n.key) : false))
}
