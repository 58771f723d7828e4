import { expect, test } from 'vitest'
import { prefixesOf } from './prefixes.ts'
import { saidBy, wants } from './wants.ts'

test.each([
  ['role=button && name="Save"', { ocr: false, texts: [], images: [], fallback: false }],
  ['"Save"', { ocr: false, texts: ['Save'], images: [], fallback: true }],
  ['name="x" >> text~="save"', { ocr: false, texts: [], images: [], fallback: true }],
  ['sap:"#/app"', { ocr: false, texts: [], images: [], fallback: false }],
  ['uia:automationId="SubmitBtn" ?? ocr:"Submit"', { ocr: true, texts: ['Submit'], images: [], fallback: false }],
  ['role=window >> ocr:"Name" >> right-of >> role=textbox', { ocr: true, texts: ['Name'], images: [], fallback: false }],
  ['name="Total" >> right-of >> ocr:text~=/[0-9]+/', { ocr: true, texts: [], images: [], fallback: false }],
  [
    'image:"logo.png" || attr.image="b.png" ?? image:"logo.png" >> nth=0',
    { ocr: false, texts: [], images: ['logo.png', 'b.png'], fallback: false },
  ],
])('%s wants %o', (selector, wanted) => {
  expect(wants(selector)).toEqual(wanted)
})

test('a selector of a driver with prefixes of its own wants nothing special', () => {
  const prefixes = prefixesOf([{ kind: 'web', prefixes: ['dom'] }])
  expect(wants('dom:"Save"', prefixes)).toEqual({ ocr: false, texts: [], images: [], fallback: false })
})

test.each([
  ['role=cell && name="Customer 7"', ['Customer 7']],
  ['role=row && has(name="Anna" && value~="9")', ['Anna', '9']],
  ['"Total" ?? name^="Sum"', ['Total', 'Sum']],
  ['role=button && window="Print" && name!="x"', []],
])('what elements say that %s asks for: %j', (selector, said) => {
  expect(saidBy(selector)).toEqual(said)
})
