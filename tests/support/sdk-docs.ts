import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const DIST = resolve(import.meta.dirname, '../../packages/deskhand/dist')

const MODULES: readonly [name: string, file: string, about: string][] = [
  [
    'deskhand',
    'index.d.ts',
    '`open()` gives a desktop in this process, `connect()` one of a broker that is up. Tools are called by name, elements are named by locators ([testing.md](testing.md)).',
  ],
  ['deskhand/test', 'testing/index.d.ts', 'Desktops for tests, and assertions that wait ([testing.md](testing.md)).'],
  [
    'deskhand/computer-use',
    'computer-use/index.d.ts',
    'A governed desktop under the loops of computer-use models ([computer-use.md](computer-use.md)).',
  ],
]

/** docs/sdk.md: what the package exports, as its declarations say it. */
export function sdkPage(): string {
  const parts = MODULES.map(([name, file, about]) => `## ${name}\n\n${about}\n${declarationsOf(join(DIST, file))}`)
  return `# The library

What \`deskhand\` exports, from the declarations that the package is built with: \`npx vitest run tests/repository/sdk-docs.test.ts -u\` writes this page anew.

${parts.join('\n')}`
}

function declarationsOf(index: string): string {
  const exported = [...readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{ (.+) \} from '(.+)';$/gm)]
  return exported
    .map(([, names = '', from = '']) => {
      const wanted = names.split(', ').map((name) => name.replace(/^type /, ''))
      if (!from.startsWith('.')) return `\nFrom \`${from}\`: ${wanted.map((name) => `\`${name}\``).join(', ')}.\n`
      const text = readFileSync(join(dirname(index), from.replace(/\.ts$/, '.d.ts')), 'utf8')
      const found = wanted.map((name) => declaration(text, name.split(' as ')[0] ?? name, name.split(' as ')[1]))
      return `\n\`\`\`typescript\n${found.join('\n\n')}\n\`\`\`\n`
    })
    .join('')
}

/** One declaration, its overloads among it, with the comment before it; what stands at the margin begins or ends one. */
function declaration(text: string, name: string, alias = name): string {
  const lines = text.split('\n')
  const begins = (line: string): boolean => new RegExp(`^(?:export )?(?:declare )?\\w+ ${name}\\b`).test(line)
  const at = lines.findIndex(begins)
  if (at < 0) throw new Error(`${name} is not declared there`)
  let from = at
  while (/^(?:\/\*\*| \*)/.test(lines[from - 1] ?? '')) from--
  const last = lines.findLastIndex(begins)
  const end = lines.findIndex((line, i) => i >= last && /[;}]$/.test(line) && !/^[\s}\])]/.test(lines[i + 1] || '.'))
  const found = lines
    .slice(from, end + 1)
    .filter((line) => line.trim() !== '#private;')
    .join('\n')
    .replaceAll(/^(export )?(declare )?/gm, '')
  return alias === name ? found : `type ${alias} = ${name};\n\n${found}`
}
