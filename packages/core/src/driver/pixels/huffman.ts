/** A prefix code as deflate has them: for each symbol the length of its code, and its bits in the order in which they are written. */
export interface Code {
  lengths: Uint8Array
  bits: Uint16Array
}

/** The shortest code for symbols of these frequencies, none longer than `longest` bits; a symbol that never occurs has none. */
export function codeFor(frequencies: Uint32Array, longest: number): Code {
  let counts = frequencies
  let lengths = lengthsFor(counts)
  // Levelling the frequencies shortens the longest codes, at a price of a few bytes.
  while (lengths.some((length) => length > longest)) {
    counts = counts.map((count) => (count === 0 ? 0 : (count >>> 2) + 1))
    lengths = lengthsFor(counts)
  }
  return { lengths, bits: canonical(lengths) }
}

/** Huffman's: the two rarest are joined until one is left. At least two symbols get a code, as some readers ask for it. */
function lengthsFor(frequencies: Uint32Array): Uint8Array {
  const leaves = [...frequencies.keys()].filter((symbol) => frequencies[symbol]! > 0)
  for (let symbol = 0; leaves.length < 2; symbol++) if (!leaves.includes(symbol)) leaves.push(symbol)
  leaves.sort((a, b) => frequencies[a]! - frequencies[b]!)
  const total = 2 * leaves.length - 1
  const weight = new Float64Array(total)
  const parent = new Int32Array(total)
  for (const [i, symbol] of leaves.entries()) weight[i] = frequencies[symbol]!
  let leaf = 0
  let joined = leaves.length
  for (let next = leaves.length; next < total; next++) {
    for (let pick = 0; pick < 2; pick++) {
      const rarest = joined >= next || (leaf < leaves.length && weight[leaf]! <= weight[joined]!) ? leaf++ : joined++
      weight[next]! += weight[rarest]!
      parent[rarest] = next
    }
  }
  const depth = new Uint8Array(total)
  for (let node = total - 2; node >= 0; node--) depth[node] = depth[parent[node]!]! + 1
  const lengths = new Uint8Array(frequencies.length)
  for (const [i, symbol] of leaves.entries()) lengths[symbol] = depth[i]!
  return lengths
}

/** Codes of one length follow each other in the order of their symbols, as RFC 1951 has it; the highest bit goes first. */
function canonical(lengths: Uint8Array): Uint16Array {
  const bits = new Uint16Array(lengths.length)
  let code = 0
  for (let length = 1; length <= 15; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) bits[symbol] = reversed(code++, length)
    code <<= 1
  }
  return bits
}

function reversed(code: number, length: number): number {
  let result = 0
  for (let i = 0; i < length; i++) result |= ((code >>> i) & 1) << (length - 1 - i)
  return result
}
