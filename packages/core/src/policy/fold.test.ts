import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, on, policy, target, verdict } from '../../test/policy-samples.ts'
import { fold, spell } from './fold.ts'
import { explain } from './index.ts'

const rule = (decision: string, when: string, tool = 'ui.click'): string =>
  `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 500\nwhen = { ${when} }\n`
const named = (name: string) => call('click', { targets: [target({ name })] })

/** Names that a person reads as "Archive". */
const DISGUISED = [
  ' Archive',
  'Archive ',
  '\tArchive',
  '\u00a0Archive',
  '\u3164Archive',
  'Arc\u200bhive',
  '\u200eArchive',
  '\u202eArchive',
  '\u202eevihcrA',
  '\u2066Archive\u2069',
  'Arch\u00adive',
  'Ar\u2060chive',
  'Arch\ufe0five',
  'Аrchive',
  'Аrсhіvе',
  'Αrchive',
  'ARCHIVE',
  'Archive',
  '𝐀𝐫𝐜𝐡𝐢𝐯𝐞',
  'Árchìve',
  'Archi\u0301ve',
  '\u0007Archive',
  'ꓮrchive',
  'Ꭺꭱchive',
]

describe('a name that reads as another one', () => {
  test.each(DISGUISED.map((name) => [JSON.stringify(name), name]))('%s is denied like it', (_, name) => {
    for (const pattern of ['Archive*', 'archive*', '/^archive/', '*chive'])
      expect([pattern, verdict(policy(rule('deny', `name = "${pattern}"`)), named(name))]).toEqual([pattern, 'deny'])
    expect(verdict(policy(rule('ask_user', 'name = "Archive*"')), named(name))).toBe('ask_user')
    const titled = call('click', { targets: [target({ window: { key: 'w', title: name, role: 'window' } })] })
    expect(verdict(policy(rule('deny', 'window = "Archive"')), titled)).toBe('deny')
    expect(verdict(policy(rule('deny', 'text = "*archive*"', 'ui.type')), call('type', { args: { text: `an ${name} now` } }))).toBe('deny')
  })

  test.each(DISGUISED.filter((name) => name.toLowerCase() !== 'archive').map((name) => [JSON.stringify(name), name]))(
    '%s is not allowed like it',
    (_, name) => {
      const p = policy(rule('allow', 'name = "Archive"') + '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\n')
      expect(verdict(p, named('Archive'))).toBe('allow')
      expect(verdict(p, named(name))).toBe('deny')
    },
  )

  test.each(['Archlve', 'ArchIve', 'Arch1ve', 'Arch|ve', 'ARCHlVE'])('%s is denied like it by a glob, and not allowed', (name) => {
    for (const pattern of ['Archive*', 'ARCHIVE', '*chive'])
      expect([pattern, verdict(policy(rule('deny', `name = "${pattern}"`)), named(name))]).toEqual([pattern, 'deny'])
    const p = policy(rule('allow', 'name = "Archive"') + '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\n')
    expect(verdict(p, named(name))).toBe(name.toLowerCase() === 'archive' ? 'allow' : 'deny')
  })

  test('a range in a pattern stays one', () => {
    const p = policy(rule('deny', 'name = "Item [0-9]"'))
    for (const name of ['Item 0', 'item 1', 'Item\u00a05', 'Іtem 7']) expect([name, verdict(p, named(name))]).toEqual([name, 'deny'])
    for (const name of ['Item x', 'Item 10']) expect([name, verdict(p, named(name))]).toEqual([name, 'allow'])
  })

  test('harmless neighbours stay what they are', () => {
    const p = policy(rule('deny', 'name = "Archive"'))
    for (const name of ['Archives', 'Arch', 'Архив', 'アーカイブ', 'Arc hive'])
      expect([name, verdict(p, named(name))]).toEqual([name, 'allow'])
  })

  test('the application that calls itself so is held back, and not let through', () => {
    const p = policy(rule('deny', 'app = "vault"'))
    expect(verdict(p, call('click', { targets: [target({ app: { id: 'a', name: 'V\u200bault', executable: '/usr/bin/x' } })] }))).toBe(
      'deny',
    )
  })
})

describe('what is not known', () => {
  const unknown: [string, string, Parameters<typeof target>[0]][] = [
    ['app', 'app = "vault"', { app: undefined }],
    ['process', 'process = "/opt/**"', { app: { id: 'a', name: 'A' } }],
    ['name', 'name = "Delete*"', { name: undefined }],
    ['name that is invisible', 'name = "Delete*"', { name: '\u200b \u00a0' }],
    ['window', 'window = "Bank*"', { window: { key: 'w', role: 'window' } }],
    ['url of a page', 'url = "bank.example/**"', { url: '' }],
    [
      'url in a browser as a whole',
      'url = "bank.example/**"',
      { role: 'window', app: { id: 'b', name: 'B', executable: '/usr/bin/firefox' } },
    ],
    ['role', 'role = "button"', { role: 'region', source: 'ocr' }],
    ['state', 'state = { password = true }', { states: undefined, source: 'image' }],
  ]
  test.each(unknown)('%s: a deny and a question hold, an allow does not', (_, when, over) => {
    const subject = call('click', { targets: [target(over)] })
    expect(verdict(policy(rule('deny', when)), subject)).toBe('deny')
    expect(verdict(policy(rule('ask_user', `${when}, risk = ["low", "medium", "high"]`)), subject)).toBe('ask_user')
    const p = policy(rule('allow', `${when}, risk = ["low", "medium", "high"]`) + rule('deny', 'desktop = "sandbox"').replace('500', '1'))
    expect(verdict(p, subject)).toBe('deny')
  })

  test('all of it, where nothing is known of what a call touches', () => {
    expect(verdict(policy(rule('deny', 'app = "vault"')), call('click', { targets: [] }))).toBe('deny')
    expect(verdict(policy(rule('deny', 'app = "vault"', 'ui.*')), call('snapshot', { targets: [] }))).toBe('allow')
    const moves = call('pointer', { targets: [], args: { events: [{ type: 'move', x: 1, y: 1 }] } })
    expect(verdict(policy(rule('deny', 'app = "vault"', 'ui.*')), moves, on('sandbox'))).not.toBe('deny')
  })

  test('an address is not missing where there are no pages', () => {
    expect(verdict(policy(rule('deny', 'url = "bank.example/**"')), call())).toBe('allow')
    const toolbar = target({ key: 'n1', app: { id: 'b', name: 'B', executable: '/usr/bin/firefox' } })
    expect(verdict(policy(rule('deny', 'url = "bank.example/**"')), call('click', { targets: [toolbar] }))).toBe('allow')
  })

  test('is named in the explanation and in the denial', () => {
    const { text, decision } = explain(policy(rule('deny', 'name = "Delete*"')), call('click', { targets: [target({ name: '' })] }), on())
    expect(text).toContain('holds as it is not known: name')
    expect(decision.reason).toContain('where the name is not known')
  })
})

test('folding is done once: what is folded stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(fold(fold(text))).toBe(fold(text))
    }),
  )
})

test('invisible characters, anywhere, change nothing', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcXYZ 019-é') })
  const hidden = fc.constantFrom('\u200b', '\u00ad', '\u200e', '\u2060', '\ufeff', '\u{e0041}', '\u034f', '\u0301')
  fc.assert(
    fc.property(letters, hidden, fc.nat(), (text, char, at) => {
      const place = at % (text.length + 1)
      expect(spell(text.slice(0, place) + char + text.slice(place)).folded).toBe(spell(text).folded)
    }),
  )
})
