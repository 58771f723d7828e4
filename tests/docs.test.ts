import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { validateScript } from '@deskhand/code/pyautogui'
import { format, parse } from '@deskhand/core/selector'
import { Config } from '../packages/deskhand/src/config.ts'
import { parse as parseToml } from 'smol-toml'

const root = resolve(import.meta.dirname, '..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
]

const blocks = (language: string): [page: string, code: string][] =>
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, lang, code]): [string, string][] =>
      lang === language ? [[page, code ?? '']] : [],
    ),
  )

test.each(
  blocks('selector').flatMap(([page, code]) =>
    code
      .trim()
      .split('\n')
      .map((line) => [page, line] as const),
  ),
)('%s: %s is a selector', (_, line) => {
  expect(parse(format(parse(line)))).toEqual(parse(line))
})

test.each(blocks('toml').filter(([page]) => page === 'README.md' || page === 'docs/code.md' || page === 'docs/people.md'))(
  'the settings in %s are settings',
  (_, code) => {
    expect(Config.safeParse(parseToml(code))).toMatchObject({ success: true })
  },
)

test.each(blocks('python'))('the script in %s may run', (_, code) => {
  expect(() => validateScript(code)).not.toThrow()
})

test('every file that the pages link to is there', () => {
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .filter(([, link]) => !exists(join(root, page, '..', link ?? '')))
      .map(([, link]) => `${page}: ${link}`),
  )
  expect(missing).toEqual([])
})

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
