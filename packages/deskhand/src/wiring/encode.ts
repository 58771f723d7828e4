import { DeskhandError } from '@deskhand/core/errors'
import type { Cap, Frame } from '@deskhand/core/driver'

type Sharp = typeof import('sharp')

const MISSING: Extract<Cap, { ok: false }> = {
  ok: false,
  reason: 'the package sharp, which encodes it, is not installed here',
  fix: 'Use png, or install it with: npm install sharp',
}
const QUALITY = 85

let loading: Promise<Sharp | undefined> | undefined

/** Encodes a picture for a model or a person; what does it is loaded when it is first asked for. */
export async function encode(frame: Frame, format: 'jpeg' | 'webp'): Promise<Frame['data']> {
  const sharp = await load()
  if (sharp === undefined) throw new DeskhandError('NOT_CAPABLE', `no ${format} here: ${MISSING.reason}`, { next: MISSING.fix })
  const { width, height, data } = frame
  const picture = sharp.default(data, { raw: { width, height, channels: 4 } }).removeAlpha()
  switch (format) {
    case 'jpeg':
      return picture.jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }).toBuffer()
    case 'webp':
      return picture.webp({ quality: QUALITY, effort: 0, smartSubsample: true }).toBuffer()
    default:
      return format satisfies never
  }
}

/** Which formats there are here. */
export async function formats(): Promise<Record<'png' | 'jpeg' | 'webp', Cap>> {
  const other: Cap = (await load()) === undefined ? MISSING : { ok: true }
  return { png: { ok: true }, jpeg: other, webp: other }
}

function load(): Promise<Sharp | undefined> {
  return (loading ??= import('sharp').catch(() => undefined))
}
