import { expect, test } from 'vitest'
import { namesOf } from './names.ts'

const named = (over: Partial<Parameters<typeof namesOf>[0]>) => {
  const { url, hosts, origins } = namesOf({ scheme: 'http', host: '127.0.0.1', port: 8423, further: [], ...over })
  return { url, hosts: [...hosts], origins: [...origins] }
}

test('on the loopback a server has three names, each with its port', () => {
  expect(named({})).toEqual({
    url: 'http://127.0.0.1:8423',
    hosts: ['127.0.0.1:8423', 'localhost:8423', '[::1]:8423'],
    origins: ['http://127.0.0.1:8423', 'http://localhost:8423', 'http://[::1]:8423'],
  })
})

test('the port that a scheme has anyway may be left out, as browsers do', () => {
  expect(named({ scheme: 'https', host: 'Desk.example', port: 443 })).toEqual({
    url: 'https://desk.example:443',
    hosts: ['desk.example:443', 'desk.example'],
    origins: ['https://desk.example:443', 'https://desk.example'],
  })
})

test('behind a proxy it is called what the configuration says, with the proxy’s port or without, and over TLS', () => {
  const { hosts, origins } = named({ further: ['Deskhand.example:443'] })
  expect(hosts.slice(3)).toEqual(['deskhand.example:443', 'deskhand.example'])
  expect(origins).toEqual(expect.arrayContaining(['https://deskhand.example']))
  // On its own port a plain page of that name is another server's.
  expect(origins).not.toContain('http://deskhand.example')
  expect(named({ further: ['deskhand.example:80'] }).origins).toContain('http://deskhand.example')
  expect(named({ further: ['deskhand.example'] }).origins.slice(3)).toEqual(['http://deskhand.example', 'https://deskhand.example'])
  expect(named({ further: ['deskhand.example:9443'] }).hosts.slice(3)).toEqual(['deskhand.example:9443'])
})

test('an address of IPv6 stands in brackets', () => {
  expect(named({ host: 'fd00::1' })).toMatchObject({ url: 'http://[fd00::1]:8423', hosts: ['[fd00::1]:8423'] })
})
