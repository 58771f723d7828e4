import { brotliDecompressSync } from 'node:zlib'
import { Reader } from './reader.ts'

const KNOWN = (
  'cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF ' +
  'GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_ sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd ' +
  'prop trak Zapf Silf Glat Gloc Feat Sill'
).split(' ')

const SIGNATURE = 0x774f4632

/** The tables of a WOFF2 file. `glyf` is left in the form that WOFF2 packs it in. */
export function readWoff2(file: Uint8Array): Map<string, Uint8Array> {
  const r = new Reader(file)
  if (r.u32() !== SIGNATURE) throw new Error('not a WOFF2 file')
  const count = r.skip(8).u16()
  const packed = r.skip(6).u32()
  r.at = 48
  const lengths: { tag: string; length: number }[] = []
  for (let i = 0; i < count; i++) {
    const flags = r.u8()
    const tag = (flags & 63) === 63 ? String.fromCharCode(r.u8(), r.u8(), r.u8(), r.u8()) : (KNOWN[flags & 63] ?? '')
    const original = base128(r)
    const isPacked = tag === 'glyf' || tag === 'loca' ? flags >> 6 !== 3 : flags >> 6 !== 0
    lengths.push({ tag, length: isPacked ? base128(r) : original })
  }
  const data = brotliDecompressSync(file.subarray(r.at, r.at + packed))
  const tables = new Map<string, Uint8Array>()
  let at = 0
  for (const { tag, length } of lengths) {
    tables.set(tag, data.subarray(at, at + length))
    at += length
  }
  return tables
}

function base128(r: Reader): number {
  let value = 0
  for (let i = 0; i < 5; i++) {
    const byte = r.u8()
    value = value * 128 + (byte & 127)
    if (byte < 128) break
  }
  return value
}
