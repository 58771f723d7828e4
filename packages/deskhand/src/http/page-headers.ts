/** What every answer says to browsers. */
export function headersFor(hosts: ReadonlySet<string>, isTls: boolean): readonly (readonly [name: string, value: string])[] {
  // A content policy has no words for IPv6 addresses; 'self' stands for those.
  const named = [...hosts].filter((host) => !host.startsWith('['))
  const sockets = named.map((host) => `${isTls ? 'wss' : 'ws'}://${host}`).join(' ')
  return [
    [
      'content-security-policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self' ${sockets}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    ],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['x-frame-options', 'DENY'],
  ]
}
