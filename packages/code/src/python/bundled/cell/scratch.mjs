/** Bounds every file of the in-memory file system; the watchdog bounds their sum.
 * @param {any} FS @param {number} maxBytes */
export function limitFiles(FS, maxBytes) {
  const EFBIG = 22
  const memory = FS.filesystems.MEMFS
  const check = (/** @type {number} */ size) => {
    if (size > maxBytes) throw new FS.ErrnoError(EFBIG)
  }
  const { expandFileStorage, resizeFileStorage, ops_table } = memory
  const write = ops_table.file.stream.write
  memory.expandFileStorage = (/** @type {any} */ node, /** @type {number} */ size) =>
    (check(size), expandFileStorage(node, size))
  memory.resizeFileStorage = (/** @type {any} */ node, /** @type {number} */ size) =>
    (check(size), resizeFileStorage(node, size))
  ops_table.file.stream.write = (/** @type {any[]} */ ...args) =>
    (check(args[3] + args[4]), write(...args))
}
