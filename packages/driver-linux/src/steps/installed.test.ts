import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programsLike } from './installed.ts'

test('a program that is not there is answered with those whose menu entry has the word, else with all that have one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dh-installed-'))
  mkdirSync(join(folder, 'applications'))
  const entry = (file: string, ...lines: string[]): void =>
    writeFileSync(join(folder, 'applications', file), ['[Desktop Entry]', 'Type=Application', ...lines, ''].join('\n'))
  entry('a.desktop', 'Name=Calculator', 'Keywords=sums;', 'Exec=/usr/bin/gnome-calculator %U', '[Desktop Action new]', 'Name=Notes')
  entry('b.desktop', 'Name=Text Editor', 'Exec=env A=1 editor %F')
  entry('c.desktop', 'Name=Hidden Calculator', 'Exec=hidden', 'NoDisplay=true')
  entry('d.desktop', 'Name=Gone Calculator', 'Exec=gone')
  entry('e.desktop', 'Name=Office Sums', 'Keywords=calculator;', 'Exec=office --sums %U')
  const like = (app: string) => programsLike(app, { XDG_DATA_HOME: folder, XDG_DATA_DIRS: '' }, (command) => command !== 'gone')
  expect(like('calculator')).toBe('Did you mean: gnome-calculator (Calculator), office --sums (Office Sums).')
  expect(like('Office Calculator')).toBe('Did you mean: office --sums (Office Sums).')
  expect(like('some text-thing')).toBe('Did you mean: editor (Text Editor).')
  expect(like('notes')).toBe('There are: gnome-calculator (Calculator), editor (Text Editor), office --sums (Office Sums).')
  expect(programsLike('x', { XDG_DATA_HOME: '/nowhere', XDG_DATA_DIRS: '' }, () => true)).toBeUndefined()
  rmSync(folder, { recursive: true })
})
