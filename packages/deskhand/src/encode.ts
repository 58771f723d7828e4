import { DeskhandError } from '@deskhand/core/errors'
import { encodePng, type Frame } from '@deskhand/core/driver'

/** Encodes a picture for a model or a person. */
export async function encode(frame: Frame, format: 'png' | 'jpeg' | 'webp'): Promise<Uint8Array> {
  if (format === 'png') return encodePng(frame)
  throw new DeskhandError('NOT_CAPABLE', `no encoder for ${format} is installed`, { next: 'Use png.' })
}
