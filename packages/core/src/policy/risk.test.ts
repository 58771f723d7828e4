import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call, inApp, on, target } from '../../test/policy-samples.ts'
import type { ActionKind, TargetFacts } from '../model/index.ts'
import { assess, levelOf } from './risk.ts'
import { APP_CLASSES, FACTORS, LEVELS } from './risk-table.ts'
import { findWords } from './word-match.ts'
import { allWords } from './words.ts'
import type { Setting, Subject } from './policy.ts'

const level = (subject: Subject, setting: Setting = on()): string => assess(subject, setting).level
const ids = (subject: Subject, setting: Setting = on()): string[] => assess(subject, setting).factors.map((f) => f.id)
const press = (name: string): Subject => call('click', { targets: [target({ name })] })

describe('words are told apart', () => {
  test.each([
    ['Delete', 'destructive', 'delete'],
    ['DELETE ALL', 'destructive', 'delete'],
    ['_Delete', 'destructive', 'delete'],
    ['De_lete', 'destructive', 'delete'],
    ['&Remove…', 'destructive', 'remove'],
    ['Ｄｅｌｅｔｅ', 'destructive', 'delete'],
    ['De\u00ADlete', 'destructive', 'delete'],
    ['Format', 'destructive', 'format'],
    ['Format disk…', 'destructive', 'format disk'],
    ["Don't Save", 'destructive', "don't save"],
    ['Submit', 'committing', 'submit'],
    ['Send message', 'committing', 'send'],
    ['Remote login', 'committing', 'remote login'],
    ['Entwicklermodus', 'committing', 'Entwicklermodus'],
    ['Connexion à distance', 'committing', 'connexion à distance'],
    ['Orígenes desconocidos', 'committing', 'orígenes desconocidos'],
    ['Pay now', 'paying', 'pay'],
    ['Place order', 'paying', 'place order'],
    ['De\u115flete', 'destructive', 'delete'],
    ['De\u3164le\u200bte', 'destructive', 'delete'],
    ['deleteAll', 'destructive', 'delete'],
    ['DeleteAllFiles', 'destructive', 'delete'],
    ['btnDELETEAll', 'destructive', 'delete'],
    ['delete_all', 'destructive', 'delete'],
    ['delete-account', 'destructive', 'delete'],
    ['deleteall', 'destructive', 'delete'],
    ['PAYNOW', 'paying', 'pay'],
    ['sendMoney', 'committing', 'send'],
    ['Dеlеtе', 'destructive', 'delete'],
    ['DЕLЕТЕ', 'destructive', 'delete'],
    ['Ρay', 'paying', 'pay'],
    ['Ѕubmit', 'committing', 'submit'],
    ['ᴅᴇʟᴇᴛᴇ', 'destructive', 'delete'],
    ['ᎠᎬᏞᎬᎢᎬ', 'destructive', 'delete'],
    ['ⓓⓔⓛⓔⓣⓔ', 'destructive', 'delete'],
    ['𝐃𝐞𝐥𝐞𝐭𝐞', 'destructive', 'delete'],
    ['🇩🇪🇱🇪🇹🇪', 'destructive', 'delete'],
    ['🅿🅰🆈', 'paying', 'pay'],
    ['De1ete', 'destructive', 'delete'],
    ['D3L3T3', 'destructive', 'delete'],
    ['Subm1t', 'committing', 'submit'],
    ['P@y', 'paying', 'pay'],
    ['D e l e t e', 'destructive', 'delete'],
    ['P.A.Y', 'paying', 'pay'],
    ['d\u200be\u2060l\ufeffete', 'destructive', 'delete'],
    ['deleteАll', 'destructive', 'delete'],
    ['Löschen', 'destructive', 'löschen'],
    ['Konto LÖSCHEN', 'destructive', 'löschen'],
    ['Zahlungspflichtig bestellen', 'paying', 'zahlungspflichtig bestellen'],
    ['Supprimer définitivement', 'destructive', 'supprimer'],
    ['Payer', 'paying', 'payer'],
    ['Eliminar', 'destructive', 'eliminar'],
    ['Pagar ahora', 'paying', 'pagar'],
    ['删除文件', 'destructive', '删除'],
    ['立即支付', 'paying', '支付'],
    ['ファイルを削除する', 'destructive', '削除'],
    ['フォーマット', 'destructive', 'フォーマット'],
    ['注文を確定する', 'paying', '注文'],
    ['Card number', 'paymentField', 'card number'],
  ] as const)('%s is %s', (name, kind, word) => {
    expect(findWords(name).get(kind)).toBe(word)
  })

  test.each([
    'Undelete',
    'Deleted items',
    'Paypal settings',
    'PayPal',
    'Payment history',
    'Payload',
    'Sender',
    'Resend',
    'Formatting',
    'Format painter',
    'Removed',
    'Buyer',
    'Clear sky',
    'Find and Replace',
    'Post office',
    'Share price',
    'Sign in',
    'Save',
    'OK',
    'Cancel',
    'Open file',
    'Undo',
    'Close',
    'Forward',
    'gelöscht',
    '支付宝',
    '已删除',
    '取消删除',
    '已发送的邮件',
    '削除済みアイテム',
    '購入履歴',
    '',
  ])('%s has none', (name) => {
    expect([...findWords(name)]).toEqual([])
  })

  test('only listed words are ever told, so that a refusal leaks nothing of the screen', () => {
    const known = new Set(
      allWords().flatMap((w) =>
        Object.values(w)
          .flat()
          .map((x: string) => x.replace(/^=/, '')),
      ),
    )
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('delete', 'pay now', '删除'), (noise, word) => {
        for (const found of findWords(`${noise} ${word}`).values()) expect(known).toContain(found)
        for (const f of assess(press(`secret ${noise} ${word}`), on()).factors) expect(f.detail).not.toContain('secret')
      }),
    )
  })
})

describe('levels', () => {
  test.each<[string, Subject, string]>([
    ['reading', call('snapshot'), 'low'],
    ['focusing', call('focus'), 'low'],
    ['typing into an editor', call('type', { args: { text: 'hello' } }), 'low'],
    ['clicking a known button', call('click'), 'low'],
    ['the same by name', call('click', { targets: [target({ selector: 'role=button && name="Save"' })] }), 'low'],
    ['a point on the screen', call('click_xy', { args: { x: 1, y: 1 } }), 'medium'],
    ['a hit of OCR', call('click', { targets: [target({ source: 'ocr' })] }), 'medium'],
    ['Delete', press('Delete'), 'medium'],
    ['Submit', press('Submit'), 'medium'],
    ['Pay now', press('Pay now'), 'medium'],
    ['Undelete', press('Undelete'), 'low'],
    ['Paypal settings', press('Paypal settings'), 'low'],
    ['Delete found by OCR', call('click', { targets: [target({ name: 'Delete', source: 'ocr' })] }), 'high'],
    ['Delete in a database console', call('click', { targets: [inApp('/usr/bin/dbeaver', { name: 'Delete' })] }), 'high'],
    ['any button of a finance program', call('click', { targets: [inApp('/usr/bin/gnucash')] }), 'medium'],
    ['Pay now in a finance program', call('click', { targets: [inApp('/opt/x/gnucash', { name: 'Pay now' })] }), 'high'],
    ['typing into a terminal', call('type', { args: { text: 'ls' }, targets: [inApp('/usr/bin/xterm', { role: 'terminal' })] }), 'medium'],
    [
      'sudo in a terminal',
      call('type', { args: { text: 'sudo rm -rf /\n' }, targets: [inApp('/usr/bin/xterm', { role: 'terminal' })] }),
      'high',
    ],
    [
      'a password field',
      call('type', { args: { text: 'x' }, targets: [target({ role: 'textbox', name: 'PIN', states: { password: true } })] }),
      'medium',
    ],
    ['a card number field', call('type', { args: { text: 'x' }, targets: [target({ role: 'textbox', name: 'Card number' })] }), 'medium'],
    [
      'Enter on a focused Delete button',
      call('key', { args: { keys: 'Enter' }, targets: [target({ name: 'Delete', source: 'focus' })] }),
      'medium',
    ],
    ['a space typed at it', call('type', { args: { text: ' ' }, targets: [target({ name: 'Delete', source: 'focus' })] }), 'medium'],
    [
      'a text with Enter behind it, sent to it',
      call('type', { args: { text: '', submit: 'Enter' }, targets: [target({ name: 'Delete', source: 'focus' })] }),
      'medium',
    ],
    ['a link that downloads a program', call('click', { targets: [target({ role: 'link', name: 'Download setup.EXE' })] }), 'medium'],
    ['a link to the source of one', call('click', { targets: [target({ role: 'link', name: 'setup.sh' })] }), 'low'],
    ['a download of something else', call('click', { targets: [target({ role: 'link', name: 'Download shapes.svg' })] }), 'low'],
    [
      'a field that the press of something else changes',
      call('click', { targets: [target({ name: 'Next' }), target({ role: 'textbox', name: 'Reason to delete', reached: 'type' })] }),
      'low',
    ],
    ['a line break typed at it', call('type', { args: { text: 'x\n' }, targets: [target({ name: 'Delete', source: 'focus' })] }), 'medium'],
    [
      'a sentence typed into a field of that name',
      call('type', { args: { text: 'a b' }, targets: [target({ role: 'textbox', name: 'Delete' })] }),
      'low',
    ],
    [
      'the picture in a Delete button',
      call('click', { targets: [target({ role: 'image', name: undefined, says: ['Delete'] })] }),
      'medium',
    ],
    [
      'Yes in a dialog about deleting',
      call('click', {
        targets: [target({ name: 'Yes', selector: 'name=Yes', window: { key: 'd', title: 'Delete 3 files?', role: 'dialog' } })],
      }),
      'medium',
    ],
    [
      'a prompt for the root password',
      call('click', { targets: [inApp('/usr/lib/polkit-gnome/polkit-gnome-authentication-agent-1')] }),
      'prohibited',
    ],
    ['starting a terminal', call('launch', { args: { app: 'xterm', args: [] }, targets: [] }), 'medium'],
    ['reading a password manager', call('snapshot', { targets: [inApp('/usr/bin/keepassxc')] }), 'medium'],
    ['acting on a password manager', call('click', { targets: [inApp('/usr/bin/keepassxc')] }), 'high'],
    ['typing without knowing where', call('type', { args: { text: 'x' }, targets: [] }), 'medium'],
  ])('%s', (_, subject, expected) => {
    expect([assess(subject, on()).factors, level(subject)]).toEqual([expect.anything(), expected])
  })

  test('a program is known by its file, not by its name or title', () => {
    const posing = target({
      app: { id: 'x', name: 'GnuCash', pid: 1, executable: '/usr/bin/mousepad' },
      window: { key: 'w', title: 'GnuCash', role: 'window' },
    })
    expect(ids(call('click', { targets: [posing] }))).not.toContain('app.finance')
    const renamed = target({ app: { id: 'x', name: 'Notes', pid: 1, executable: 'C:\\Tools\\KeePass.exe' } })
    expect(ids(call('click', { targets: [renamed] }))).toContain('app.passwords')
    expect(ids(call('click', { targets: [inApp('/usr/bin/xterm (deleted)')] }))).toContain('app.terminal')
  })

  test('an identity inside quotes is no identity', () => {
    const by = (selector: string) => ids(call('click', { targets: [target({ selector })] })).includes('select.name')
    expect(by('role=button && name="Save"')).toBe(true)
    expect(by('name="automationId=ok"')).toBe(true)
    expect(by('name=/automationId=/')).toBe(true)
    expect(by('automationId="ok"')).toBe(false)
    expect(by('attr.id = "x" && name=Save')).toBe(false)
  })

  test('text from the screen, drift and doubt are factors', () => {
    expect(ids(call('type', { args: { text: 'x' }, tainted: true }))).toContain('taint.text')
    expect(ids(call('click', { tainted: true }))).toContain('taint.target')
    expect(ids(call('click', { targets: [target({ driftPx: 30 })] }))).toContain('drift')
    expect(ids(call('click', { targets: [target({ driftPx: 3 })] }))).not.toContain('drift')
    expect(ids(call('click', { targets: [target({ driftPx: 101 })] }))).toContain('drift.far')
    expect(ids(call('click', { targets: [target({ confidence: 0.7 })] }))).toContain('confidence.low')
    expect(ids(call('click', { targets: [target({ confidence: 0.3 })] }))).toEqual(
      expect.arrayContaining(['confidence.low', 'confidence.poor']),
    )
    expect(ids(call('type', { args: { text: 'card 4111 1111 1111 1111' } }))).toContain('text.card')
    expect(ids(call('type', { args: { text: 'order 4111 1111 1111 1112' } }))).not.toContain('text.card')
    expect(ids(call('key', { args: { keys: ['shift+Delete'] } }))).toContain('key.delete')
    expect(ids(call('key', { args: { keys: 'Delete' }, targets: [target({ states: { editable: true } })] }))).not.toContain('key.delete')
    expect(ids(call('window', { args: { op: 'close' } }))).toContain('action.close')
    expect(ids(call('key', { args: { keys: ['alt+F4'] } }))).toContain('action.close')
    expect(ids(call('key', { args: { keys: ['alt+F5', 'q'] } }))).not.toContain('action.close')
  })
})

test('what an added driver tells of is acted upon at its least risk, and looked at as anything else', () => {
  const at = (risk: 'low' | 'medium' | 'high'): TargetFacts => target({ app: { id: 'a', name: 'A', added: { driver: 'erp', risk } } })
  const press = (...targets: TargetFacts[]): ReturnType<typeof assess> => assess(call('click', { targets }), on())
  expect(press(at('medium'))).toMatchObject({ level: 'medium', score: 40 })
  expect(press(at('high'))).toMatchObject({ level: 'high', score: 70 })
  expect(press(at('medium'), at('high')).level).toBe('high')
  expect(press({ ...at('medium'), name: 'Delete', states: { password: true } }).level).toBe('high')
  expect(press(at('low')).factors.map((f) => f.id)).not.toContain('driver.floor')
  expect(assess(call('describe', { targets: [at('high')] }), on()).level).toBe('low')
})

describe('Deskhand itself', () => {
  const own = { pids: [4242], consoleUrls: ['http://127.0.0.1:7070/?token=x'], titles: ['Deskhand console 9f3a'] }
  const setting = on('host', { own })

  test.each<[string, Subject]>([
    ['its process', call('click', { targets: [target({ app: { id: 'd', name: 'Editor', pid: 4242, executable: '/usr/bin/node' } })] })],
    ['its console in a browser', call('click', { targets: [inApp('/usr/bin/firefox', { url: 'http://localhost:7070/approvals' })] })],
    [
      'its console by title where the browser tells no address',
      call('click', {
        targets: [inApp('/usr/bin/firefox', { window: { key: 'w', title: 'Deskhand console 9f3a - Mozilla Firefox', role: 'window' } })],
      }),
    ],
    ['a drag that ends there', call('drag', { targets: [target(), inApp('/usr/bin/firefox', { url: 'http://127.0.0.1:7070/' })] })],
    ['typing its address', call('type', { args: { text: 'http://127.1:7070/approve' } })],
    ['starting a browser on it', call('launch', { args: { app: 'firefox', args: ['--new-window', 'localhost:7070'] }, targets: [] })],
    ['reading it', call('snapshot', { targets: [inApp('/usr/bin/firefox', { url: 'http://[::1]:7070/' })] })],
  ])('%s is prohibited', (_, subject) => {
    expect(level(subject, setting)).toBe('prohibited')
    expect(level({ ...subject, principal: { id: 'me', role: 'operator' } }, setting)).not.toBe('prohibited')
  })

  test('a text full of its port is searched in linear time', () => {
    const text = `${':7070'.repeat(50_000)} ${'x'.repeat(200_000)}`
    for (let i = 0; i < 5; i++) expect(level(call('type', { args: { text } }), setting)).toBe('low')
    expect(level(call('type', { args: { text: `${text} see(localhost:7070)` } }), setting)).toBe('prohibited')
    expect(level(call('type', { args: { text: 'http://[::1]:7070' } }), setting)).toBe('prohibited')
  })

  test('other ports and other programs are not', () => {
    expect(level(call('type', { args: { text: 'http://127.0.0.1:70701/ and 127.0.0.1:7071 and example.org:7070' } }), setting)).toBe('low')
    expect(level(call('click', { targets: [inApp('/usr/bin/firefox', { url: 'http://127.0.0.1:8080/' })] }), setting)).toBe('low')
  })
})

describe('adding a factor never lowers the risk', () => {
  const kinds: ActionKind[] = ['click', 'click_xy', 'type', 'key', 'drag', 'focus', 'launch', 'window', 'pointer', 'snapshot', 'capture']
  const facts: fc.Arbitrary<TargetFacts> = fc
    .record({
      role: fc.constantFrom('button', 'textbox', 'terminal', 'menuitem'),
      name: fc.constantFrom('Save', 'Delete', 'Pay now', 'Card number', '', '删除'),
      source: fc.constantFrom('structure', 'focus', 'pixel', 'ocr', 'image', 'none'),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      executable: fc.constantFrom(
        undefined,
        '/usr/bin/mousepad',
        '/usr/bin/xterm',
        '/usr/bin/gnucash',
        '/usr/bin/firefox',
        '/usr/bin/pinentry',
      ),
      selector: fc.constantFrom(undefined, 'name=Save', 'automationId=x'),
    })
    .map(({ executable, ...rest }) => target({ ...rest, app: { id: 'a', name: 'A', pid: 7, executable } }))
  const subject = fc
    .record({
      kind: fc.constantFrom(...kinds),
      targets: fc.array(facts, { maxLength: 3 }),
      text: fc.constantFrom('hi', 'sudo rm', 'a\nb'),
      tainted: fc.boolean(),
    })
    .map(({ kind, text, ...rest }) => call(kind, { args: { text, keys: 'Enter', app: 'mousepad' }, ...rest }))

  type Raise = (s: Subject) => Subject
  const each =
    (change: (t: TargetFacts) => Partial<TargetFacts>): Raise =>
    (s) => ({ ...s, targets: s.targets.map((t) => ({ ...t, ...change(t) })) })
  const raises: [string, Raise][] = [
    ['taint', (s) => ({ ...s, tainted: true })],
    ['drift', each(() => ({ driftPx: 100 }))],
    ['far drift', each(() => ({ driftPx: 200 }))],
    ['a further target', (s) => (s.targets.length === 0 ? s : { ...s, targets: [...s.targets, inApp('/usr/bin/gnucash')] })],
    ['a destructive word', each((t) => ({ name: `${t.name} delete now` }))],
    ['a password field', each((t) => ({ states: { ...t.states, password: true } }))],
    ['less confidence', each((t) => ({ confidence: t.confidence / 2 }))],
    ['a name-only selector', each(() => ({ selector: 'name=x' }))],
    ['a dialog about deleting', each(() => ({ window: { key: 'd', title: 'Delete?', role: 'dialog' } }))],
    ['an unknown program', (s) => (s.targets.some((t) => t.app?.executable) ? s : each(() => ({ app: undefined }))(s))],
  ]

  test.each(raises)('%s', (_, raise) => {
    fc.assert(
      fc.property(subject, (before) => {
        const [a, b] = [assess(before, on()), assess(raise(before), on())]
        expect(b.score).toBeGreaterThanOrEqual(a.score)
        expect(rank(b.level)).toBeGreaterThanOrEqual(rank(a.level))
      }),
    )
  })

  test('in the table itself', () => {
    const weights = Object.values(FACTORS).map(([weight]) => weight)
    expect(weights.every((w) => w > 0)).toBe(true)
    expect(weights.filter((w) => w < 2000).reduce((a, b) => a + b, 0)).toBeLessThan(2000)
    fc.assert(fc.property(fc.nat(2000), fc.nat(500), (score, more) => rank(levelOf(score + more)) >= rank(levelOf(score))))
  })

  test('no program is in two classes, and all are in lower case', () => {
    const all = Object.values(APP_CLASSES).flat()
    expect(all.filter((p, i) => all.indexOf(p) !== i)).toEqual([])
    expect(all.filter((p) => p !== p.toLowerCase())).toEqual([])
  })
})

const rank = (l: string): number => -LEVELS.findIndex((x) => x.level === l)
