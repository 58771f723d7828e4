import { words } from './word-list.ts'

/**
 * The other ways to read a name that looks like words to a person: joined words taken apart, letters of other scripts as the Latin ones they look
 * like, digits as letters, letters that are spelled out. They are for raising a risk; what they make of an honest name does not matter much.
 */
export function disguises(name: string): string[] {
  const seen = name.normalize('NFKD').replaceAll(HIDDEN, '')
  const found: string[] = []
  const latin = /[^\x00-\x7f]/.test(seen) ? Array.from(seen, (c) => TWINS.get(c) ?? c).join('') : seen
  if (latin !== seen) found.push(latin)
  for (const [, ...pairs] of MIXED.test(latin) ? DIGITS : []) {
    const read = new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(1)]))
    found.push(Array.from(latin, (c) => read.get(c) ?? c).join(''))
  }
  for (const text of [latin, ...found]) if (JOINED.test(text) && !BRANDS.has(text.toLowerCase())) found.push(apart(text))
  if (SPELLED.test(latin)) found.push(latin.replaceAll(SPELLED_RUN, (run) => run.replaceAll(/[^\p{L}]/gu, '')))
  const tokens = latin.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const tailed = tokens.flatMap((token) =>
    TAILS.flatMap((tail) => (token.length > tail.length + 2 && token.endsWith(tail) ? [token.slice(0, -tail.length)] : [])),
  )
  if (tailed.length > 0) found.push(...tailed)
  return found.map((text) => text.toLowerCase())
}

const HIDDEN = /[\p{Mn}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
/** A digit or a sign within letters. */
const MIXED = /\p{L}[0134578$@|!]|[0134578$@|!]\p{L}/u
/** One reads 1 as l, another as i. */
const DIGITS = [
  ['', '0o', '1l', '3e', '4a', '5s', '7t', '8b', '$s', '@a', '|l', '!i'],
  ['', '0o', '1i', '3e', '4a', '5s', '7t', '8b', '$s', '@a', '|i', '!l'],
] as const
const JOINED = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u
const apart = (text: string): string =>
  text.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
const SPELLED = /(?<!\p{L})\p{L}(?:[^\p{L}\p{N}]{1,3}\p{L}){2,}(?!\p{L})/u
const SPELLED_RUN = new RegExp(SPELLED.source, 'gu')
/** Names of companies that begin like a deed. */
const BRANDS: ReadonlySet<string> = new Set(
  words('paypal, payback, paysafe, paysafecard, payone, payoneer, sendgrid, sendinblue, buzzfeed, tradestation'),
)
/** What is hung on a deed without a space. */
const TAILS = words(
  'all, now, it, this, them, file, files, item, items, data, everything, account, accounts, user, users, selected, forever, money, order, message',
)

/** Letters that look like Latin ones, behind the one they look like. */
export const TWINS: ReadonlyMap<string, string> = new Map(
  [
    'AАΑᎪꓮᗅ',
    'BВΒᏴꓐᗷ',
    'CСᏟϹꓚⲤ',
    'DᎠĐÐƉꓓᗞᗪ',
    'EЕΕᎬꓰⴹⲈ',
    'FϜꓝᖴ',
    'GᏀԌꓖ',
    'HНΗᎻꓧⲎ',
    'IІΙᏆӀꓲⲒ',
    'JЈᎫꓙᒍ',
    'KКΚᏦꓗⲔ',
    'LᏞŁꓡᒪⳐ',
    'MМΜᎷꓟⲘ',
    'NΝꓠⲚ',
    'OОΟՕØꓳⲞ',
    'PРΡᏢꓑᑭⲢ',
    'QԚ',
    'RᏒᎡꓣᖇ',
    'SЅᏚՏꓢ',
    'TТΤᎢꓔⲦ',
    'UՍꓴᑌ',
    'VᏙѴꓦᐯ',
    'WᎳԜꓪ',
    'XХΧꓫⲬ',
    'YУΥҮꓬⲨ',
    'ZΖᏃꓜⲌ',
    'aаαɑᴀ',
    'bьвʙƅƀ',
    'cсϲᴄ',
    'dԁᴅɗđɖð',
    'eеεᴇҽєɘɛɇ℮',
    'fꜰƒ',
    'gɡɢց',
    'hһнʜհħɦ',
    'iіιıɪɩ',
    'jјᴊ',
    'kкκᴋ',
    'lӏʟǀłɭɬȴꙇⵏ∣￨',
    'mмᴍ',
    'nոηɴпŋɲ',
    'oоοօᴏσø',
    'pрρᴘ',
    'qԛզ',
    'rʀгᴦ',
    'sѕꜱ',
    'tтτᴛŧʈƭ',
    'uսυᴜ',
    'vνᴠѵ',
    'wԝᴡωѡ',
    'xхχ',
    'yуγʏү',
    'zᴢ',
  ]
    .flatMap((row) => {
      const [latin = '', ...twins] = row
      // Their small and capital letters look alike, too.
      return twins.flatMap((twin) =>
        [...new Set([twin.toUpperCase(), twin.toLowerCase(), twin])].map((one): [string, string] => [one, latin]),
      )
    })
    .concat(
      // Letters on flags and in boxes.
      Array.from({ length: 26 }, (_, i): [string, string][] =>
        [0x1f1e6, 0x1f130, 0x1f150, 0x1f170].map((first) => [String.fromCodePoint(first + i), String.fromCharCode(97 + i)]),
      ).flat(),
    ),
)
