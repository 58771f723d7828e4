import { expect, test } from 'vitest'
import { call, inApp, on, target } from '../../test/policy-samples.ts'
import { createPolicy, inspectPolicy, openPolicy, parsePolicy, type RulePolicy } from './index.ts'

const TERMS = `
[words]
destructive = ["clear contents", "=stilllegen"]
paying = ["überweisung ausführen", "封存档案"]

[classes]
finance = ["Shopbooks", "driver:orders"]
authentication = []
`

const policyOf = (text: string): RulePolicy => {
  const { rules, words, classes } = parsePolicy(text, 'terms.toml', 'user')
  return createPolicy({ rules, terms: [{ words, classes }] })
}
const factors = (policy: RulePolicy, ...subject: Parameters<typeof call>): string[] =>
  policy.assess(call(...subject), on('host')).factors.map((f) => (f.detail.includes('"') ? `${f.id} ${f.detail.split('"')[1]}` : f.id))

const plain = createPolicy({ rules: [] })
const added = policyOf(TERMS)

test.each([
  ['Clear Contents…', 'word.destructive clear contents'],
  ['Сlear Contents', 'word.destructive clear contents'],
  ['Stilllegen', 'word.destructive stilllegen'],
  ['Überweisung ausführen', 'word.paying überweisung ausführen'],
  ['现在封存档案', 'word.paying 封存档案'],
])('a word of a policy file is found in %s', (name, factor) => {
  const pressed = { targets: [target({ name })] }
  expect(factors(plain, 'click', pressed)).not.toContain(factor)
  expect(factors(added, 'click', pressed)).toContain(factor)
})

test('a whole name is no part of one', () => {
  expect(factors(added, 'click', { targets: [target({ name: 'Konto stilllegen' })] })).not.toContain('word.destructive stilllegen')
})

test('a program of a class is as risky as those that Deskhand knows, also where an interpreter runs it and when it is started', () => {
  expect(factors(plain, 'click', { targets: [inApp('/opt/shop/shopbooks')] })).not.toContain('app.finance')
  expect(factors(added, 'click', { targets: [inApp('/opt/shop/shopbooks')] })).toContain('app.finance')
  const script = { id: '1', name: 'x', executable: '/usr/bin/python3', runs: '/opt/shop/shopbooks.py' }
  expect(factors(added, 'click', { targets: [target({ app: script })] })).toContain('app.finance')
  expect(factors(added, 'launch', { args: { app: 'shopbooks' } })).toContain('app.finance')
  expect(factors(added, 'snapshot', { targets: [inApp('/opt/shop/shopbooks')] })).toContain('read.finance')
})

test('nothing is taken away: what Deskhand knows stays, beside what is added', () => {
  const relabelled = policyOf('[words]\npaying = ["delete"]\n[classes]\nbrowser = ["gnucash"]\n')
  const found = factors(relabelled, 'click', {
    targets: [target({ name: 'Delete', app: { id: '1', name: 'x', executable: '/usr/bin/gnucash' } })],
  })
  expect(found).toEqual(expect.arrayContaining(['app.finance', 'app.browser', 'word.destructive delete', 'word.paying delete']))
})

test('other words, classes or masks are another policy, which voids approvals', () => {
  const texts = ['', TERMS, '[words]\npaying = ["a"]\n', '[classes]\nmail = ["a"]\n']
  expect(new Set(texts.map((text) => policyOf(text).version)).size).toBe(texts.length)
  expect(createPolicy({ rules: [], masks: [{ app: 'a', role: 'label' }] }).version).not.toBe(plain.version)
})

test.each([
  ['[words]\nharmless = ["delete"]\n', 2, 'harmless'],
  ['[classes]\nharmless = ["gnucash"]\n', 2, 'harmless'],
  ['[words]\npaying = [""]\n', 2, 'paying'],
  ['[[mask]]\napp = "shop"\n', 1, 'needs role or name beside app'],
  ['[[mask]]\nname = "Card"\n', 1, 'app'],
  ['[[mask]]\napp = "shop"\nnaem = "Card"\n', 3, 'name'],
  ['[[mask]]\napp = "shop"\nname = "/(?=a)/"\n', 3, 'linear time'],
])('%j is refused at its line', (text, line, why) => {
  const { problems } = inspectPolicy(text, 'x.toml', 'user')
  expect(problems).toContainEqual(expect.objectContaining({ line, message: expect.stringContaining(why) as string }))
})

test('a mask reads names as a person does, and is for its application', () => {
  const policy = createPolicy({ rules: [], masks: [{ app: 'shop', role: ['textbox', 'label'], name: ['Card*', '/^iban/'] }] })
  const shop = { id: '1', name: 'x', executable: '/usr/bin/shop' }
  const masked = (role: string, name: string, app = shop): boolean => policy.masked({ role, name }, app, 'host')
  expect(masked('textbox', 'Card number')).toBe(true)
  expect(masked('textbox', 'С\u200bard number')).toBe(true)
  expect(masked('label', 'IBAN DE12')).toBe(true)
  expect(masked('button', 'Card number')).toBe(false)
  expect(masked('textbox', 'Customer')).toBe(false)
  expect(masked('textbox', 'Card number', { ...shop, executable: '/usr/bin/other' })).toBe(false)
})

test('kinds of private text come from all files together, and own ones are regular expressions that end', () => {
  const files = ['[private]\nkinds = ["card"]\n', '[private]\nkinds = ["email"]\nown = { badge = "B-\\\\d{4}" }\n']
  const policy = openPolicy({ texts: files.map((text, i) => parsePolicy(text, `${i}.toml`, 'user')) })
  expect(policy.private).toEqual({ kinds: ['card', 'email'], own: { badge: 'B-\\d{4}' } })
  expect(policy.version).not.toBe(openPolicy().version)
  expect(openPolicy().private).toEqual({ own: {} })
})

test.each([
  ['[private]\nkinds = ["cart"]\n', 2, 'kinds'],
  ['[private]\nown = { badge = "(?=a)" }\n', 2, 'linear time'],
  ['[private]\nown = { badge = "x*" }\n', 2, 'everything would be private'],
  ['[private]\nown = { "B 1" = "x" }\n', 2, 'own'],
])('%j is refused at its line, too', (text, line, why) => {
  const { problems } = inspectPolicy(text, 'x.toml', 'user')
  expect(problems).toContainEqual(expect.objectContaining({ line, message: expect.stringContaining(why) as string }))
})
