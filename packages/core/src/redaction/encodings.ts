/** Every form a secret can have in output: plain, and as JSON, URLs, HTML, base64 and hex write it. */
export function encodings(secret: string): Set<string> {
  const forms = new Set<string>()
  for (const plain of [secret, secret.normalize('NFC'), secret.normalize('NFD'), ...longLines(secret)]) {
    for (const form of [plain, ...asJson(plain), ...asUrl(plain), ...asHtml(plain), ...asBase64(plain), ...asHex(plain)]) forms.add(form)
  }
  forms.delete('')
  return forms
}

/** A single line of a key file gives it away too. */
const longLines = (text: string): string[] => (/[\r\n]/.test(text) ? text.split(/[\r\n]+/).filter((line) => line.length >= 16) : [])

function asJson(text: string): string[] {
  const once = quoted(text)
  const ascii = once.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const twice = quoted(once)
  return [
    once,
    ascii,
    ascii.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`),
    once.replaceAll('/', '\\/'),
    twice,
    quoted(ascii),
  ]
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

function asUrl(text: string): string[] {
  const upper = SAFE.flatMap((safe) => {
    const form = [...Buffer.from(text)].map((byte) => (safe.has(byte) ? String.fromCharCode(byte) : percent(byte))).join('')
    return [form, form.replaceAll('%20', '+')]
  })
  return [...upper, ...upper.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Characters that encodeURI, encodeURIComponent, RFC 3986 and forms leave unescaped; the last set leaves none. */
const SAFE: readonly ReadonlySet<number>[] = ["-_.!~*'();/?:@&=+$,#", "-_.!~*'()", '-_.~', '*-._']
  .map((marks) => new Set(Buffer.from(`ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${marks}`)))
  .concat(new Set<number>())

function asHtml(text: string): string[] {
  const base = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const double = base.replaceAll('"', '&quot;')
  return [base, double, ...['&#39;', '&#x27;', '&apos;'].map((mark) => double.replaceAll("'", mark))]
}

/** Alone, and inside a longer text (`user:secret`): there only the characters that its neighbours cannot change. */
function asBase64(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')]
  for (let shift = 0; shift < 3; shift++) {
    const all = Buffer.concat([Buffer.alloc(shift), bytes])
    const loose = all.length % 3 === 0 ? 0 : 1
    const inner = all
      .toString('base64')
      .replace(/=+$/, '')
      .slice(Math.ceil((shift * 8) / 6))
    const core = inner.slice(0, inner.length - loose)
    if (core.length >= 5) forms.push(core)
  }
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}

function asHex(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  return [hex, hex.toUpperCase()]
}
