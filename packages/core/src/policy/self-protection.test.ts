import { expect, test } from 'vitest'
import { call, judge, on, target } from '../../test/policy-samples.ts'
import { openPolicy } from './index.ts'

const own = { pids: [77], consoleUrls: ['http://127.0.0.1:8383'], titles: ['Deskhand console'] }
const policy = openPolicy({ preset: 'sandbox' })
const verdict = (subject: ReturnType<typeof call>): string => judge(policy, subject, on('sandbox', { own })).verdict
const browser = { id: 'b', name: 'Chromium', executable: '/usr/bin/chromium', pid: 5 }
const window = (title: string): { key: string; title: string; role: string } => ({ key: 'w', title, role: 'window' })

test.each([
  ['its terminal', { app: { ...browser, pid: 77 } }],
  ['the page', { app: browser, url: 'http://localhost:8383/approvals' }],
  ['any part of a window that shows it, such as the address bar', { app: browser, window: window('Deskhand console - Chromium') }],
  [
    'any part of a window whose page it is, whatever its title says',
    { app: browser, window: { ...window('Mail'), url: 'http://[::1]:8383/' } },
  ],
  ['developer tools on it', { app: browser, window: window('DevTools - 127.0.0.1:8383/') }],
  ['its source', { app: browser, window: window('view-source:[::1]:8383 - Chromium') }],
  ['a link or bookmark to it', { app: browser, role: 'link', name: 'approvals at http://localhost:8383/' }],
  ['an address bar that completed its address', { app: browser, role: 'textbox', value: '127.0.0.1:8383' }],
])('agents do not reach Deskhand’s own console by %s', (_, facts) => {
  for (const kind of ['click', 'type', 'key'] as const)
    expect(verdict(call(kind, { args: { text: 'x', keys: 'Enter' }, targets: [target(facts)] }))).toBe('deny')
})

test('nor by typing its address, or starting a browser with it', () => {
  expect(verdict(call('type', { args: { text: 'http://localhost:8383/\n' }, targets: [target({ app: browser })] }))).toBe('deny')
  expect(verdict(call('launch', { args: { app: 'chromium', args: ['http://127.0.0.1:8383'] }, targets: [] }))).toBe('deny')
})

test('other windows, ports and pages stay what they are', () => {
  const facts = { app: browser, window: window('Deskhand on the web - Chromium'), url: 'http://localhost:9999/', name: 'port 8383' }
  expect(verdict(call('click', { targets: [target(facts)] }))).toBe('allow')
})

test('agents neither see nor press a portal’s prompt on a person’s desktop, and the operator does', () => {
  const prompt = target({ app: { id: 'p', name: 'Portal', executable: '/usr/libexec/xdg-desktop-portal-gnome', pid: 9 }, name: 'Share' })
  const agent = { id: 'a', role: 'agent' } as const
  const press = call('click', { targets: [prompt] })
  expect(judge(policy, press, on('host'))).toMatchObject({ verdict: 'deny' })
  expect(policy.sees(prompt, agent, on('host'))).toBe(false)
  expect(policy.sees(prompt, { id: 'me', role: 'operator' }, on('host'))).toBe(true)
  expect(policy.sees(prompt, agent, on('sandbox'))).toBe(true)
  const other = target({ app: { id: 'o', name: 'Notes', executable: '/opt/xdg-desktop-portal/notes', pid: 9 } })
  expect(policy.sees(other, agent, on('host'))).toBe(true)
})
