import { expect, test } from 'vitest'
import { inlineImages } from './image.ts'

const AREA = { row: 4, column: 12, rows: 6, columns: 60 }
const PNG = Buffer.alloc(5_000, 65)

test.each([{}, { TERM: 'xterm-256color' }, { TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/x' }, { KITTY_WINDOW_ID: '1', STY: 'screen' }])(
  'a terminal that is not known to show pictures gets none: %j',
  (env) => {
    expect(inlineImages(env)).toBeUndefined()
  },
)

test('kitty gets the picture in pieces that it can take, and is told to say nothing back', () => {
  const written = inlineImages({ KITTY_WINDOW_ID: '1' })?.(PNG, AREA) ?? ''
  const pieces = [...written.matchAll(/\u001b_G([^;\u001b]*)(?:;([^\u001b]*))?\u001b\\/g)]
  expect(written).toContain('\u001b[5;13H')
  expect(pieces.every(([, , data = '']) => data.length <= 4096)).toBe(true)
  expect(pieces.map(([, head]) => /m=(\d)/.exec(head ?? '')?.[1])).toEqual([undefined, '1', '0'])
  expect(Buffer.from(pieces.map(([, , data = '']) => data).join(''), 'base64').equals(PNG)).toBe(true)
})

test('iTerm2 and WezTerm get it whole', () => {
  const written = inlineImages({ TERM_PROGRAM: 'WezTerm' })?.(PNG, AREA) ?? ''
  const [, about, data = ''] = /\u001b\]1337;File=([^:]*):([^\u0007]*)\u0007/.exec(written) ?? []
  expect(about).toContain(`inline=1;size=${PNG.length};width=60;height=6`)
  expect(Buffer.from(data, 'base64').equals(PNG)).toBe(true)
})
