import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const docs = resolve(import.meta.dirname, '../../docs')
const page = readFileSync(join(docs, 'requirements.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:§|---)/.test(line))
const links = (text: string): [title: string, path: string][] =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = '', path = '']) => [title, join(docs, path)])

describe('the page of requirements', () => {
  test('has every specification, and in each row what is asked, and what shows it or is missing', () => {
    expect([...page.matchAll(/^## (S\d)/gm)].map(([, name]) => name)).toEqual(['S1', 'S2', 'S3', 'S4', 'S5'])
    expect(rows.length).toBeGreaterThan(150)
    const bare = rows.filter((row) => {
      const shown = row.split(' | ').at(-1) ?? ''
      return (
        row.split(' | ').length !== 4 ||
        (!links(shown).some(([, path]) => path.endsWith('.test.ts')) && !/\*\*Missing:\*\* \S|npm run bench/.test(shown))
      )
    })
    expect(bare).toEqual([])
  })

  test('leads to files that are there', () => {
    expect(links(page).filter(([, path]) => !existsSync(path))).toEqual([])
  })

  test('names tests by titles that they have', () => {
    const named = links(page).filter(([, path]) => path.endsWith('.test.ts'))
    expect(named.length).toBeGreaterThan(150)
    expect(named.filter(([title, path]) => !titlesIn(path).has(title))).toEqual([])
  })
})

const known = new Map<string, Set<string>>()

/** The first text in the parentheses of `test(…)`, or of what `test.each(…)` answers with. */
function titlesIn(path: string): Set<string> {
  const text = readFileSync(path, 'utf8')
  const titles =
    known.get(path) ??
    new Set([...text.matchAll(/(?:\btest|\]|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , title = '']) => title.replaceAll("\\'", "'")))
  known.set(path, titles)
  return titles
}
