import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ALLOWED } from './allowed-imports.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/house.md'), 'utf8')

/** The lines of the code block below a heading. */
const block = (heading: string): string[] =>
  new RegExp(`## ${heading}[\\s\\S]*?\`\`\`\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1]?.trimEnd().split('\n') ?? []

test('the page names every folder of the sources, one line each, and none that is not there', () => {
  const named = block('Folders').map((line) => line.split(/\s{2,}/)[0] ?? '')
  expect(named.filter((folder) => !existsSync(join(root, folder)))).toEqual([])
  const packages = readdirSync(join(root, 'packages'))
  const folders = packages.flatMap((name) => [`packages/${name}/src`, ...below(`packages/${name}/src`, name === 'core' ? 2 : 1)])
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([])
  expect(new Set(named).size).toBe(named.length)
})

test('the page says who may import whom as the allow-list does', () => {
  const told = Object.fromEntries(
    block('Imports')
      .map((line) => line.split(/\s{2,}/))
      .map(([layer = '', may = '']) => [layer, may]),
  )
  const ours = (layer: string): string[] => (ALLOWED[layer] ?? []).filter((name) => name in ALLOWED).toSorted()
  const layers = Object.keys(ALLOWED).filter((layer) => layer !== 'deskhand')
  expect(Object.keys(told).toSorted()).toEqual([...layers, 'deskhand'].toSorted())
  for (const layer of layers)
    expect({
      [layer]: (told[layer] ?? '')
        .split(' ')
        .filter((name) => name !== '-')
        .toSorted(),
    }).toEqual({ [layer]: ours(layer) })
  expect(ours('deskhand')).toEqual(layers.filter((layer) => layer !== 'core/notifier' && layer !== 'console').toSorted())
})

function below(folder: string, levels: number): string[] {
  const found = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'fixtures')
    .map((entry) => `${folder}/${entry.name}`)
  return levels === 1 ? found : found.flatMap((one) => [one, ...below(one, levels - 1)])
}
