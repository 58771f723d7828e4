/** A byte that no ASCII module name contains. */
const UNMATCHABLE = 0xff

/** Removes modules from the interpreter's table of built-in ones, so that they can no longer be imported.
 * @param {{ HEAPU8: Uint8Array, HEAPU32: Uint32Array, UTF8ToString: (at: number) => string }} memory
 * @param {WebAssembly.Exports} interpreter @param {string[]} names */
export function strikeBuiltins(memory, interpreter, names) {
  const { HEAPU8, HEAPU32, UTF8ToString } = memory
  const { PyImport_Inittab: table } = interpreter
  if (!(table instanceof WebAssembly.Global)) throw new Error('the interpreter does not export its table of modules')
  const ENTRY = 2
  const wanted = new Set(names)
  for (let row = at(table.value >>> 2) >>> 2; at(row) !== 0; row += ENTRY) {
    const name = UTF8ToString(at(row))
    if (wanted.delete(name)) HEAPU8.fill(UNMATCHABLE, at(row), at(row) + name.length)
  }
  if (wanted.size) throw new Error(`the interpreter has no module ${[...wanted].join(', ')}`)

  /** @param {number} index */
  function at(index) {
    return HEAPU32[index] ?? 0
  }
}
