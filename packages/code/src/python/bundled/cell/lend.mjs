import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/**
 * A file system for the interpreter that shows one folder of the host: only regular files and folders, only for reading,
 * and a symbolic link only as the thing it leads to, if that is inside the folder as well.
 */
const ENOENT = 44
const EROFS = 69
const EINVAL = 28
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** O_WRONLY, O_RDWR, O_TRUNC and O_APPEND as the interpreter numbers them. */
const WRITES = 1 | 2 | 512 | 1024

/** @param {any} FS the interpreter's file system @param {Record<string, number>} errnos @param {string} root @param {string[]} hidden names at the top that are not shown */
export function lendFolder(FS, errnos, root, hidden) {
  const top = realpathSync.native(root)

  /** @param {any} node @returns {string} */
  const nameOf = (node) => (node.parent === node ? top : join(nameOf(node.parent), node.name))

  /** The real place of a path, which must not have left the folder. @param {string} path */
  const place = (path) => {
    const real = realpathSync.native(path)
    const rest = real === top ? '' : real.startsWith(top + sep) ? real.slice(top.length + 1) : undefined
    if (rest === undefined || hidden.includes(rest.split(sep)[0] ?? '')) throw new FS.ErrnoError(ENOENT)
    return real
  }

  /** @template T @param {() => T} work @returns {T} */
  const translated = (work) => {
    try {
      return work()
    } catch (error) {
      const code = /** @type {{ code?: string }} */ (error).code
      if (code === undefined) throw error
      throw new FS.ErrnoError(errnos[code] ?? ENOENT)
    }
  }

  const readOnly = () => {
    throw new FS.ErrnoError(EROFS)
  }

  /** @param {any} parent @param {string} name @param {string} path */
  const createNode = (parent, name, path) => {
    const stat = translated(() => statSync(place(path)))
    if (!stat.isFile() && !stat.isDirectory()) throw new FS.ErrnoError(ENOENT)
    const node = FS.createNode(parent, name, (stat.mode & 0o170000) | (stat.isDirectory() ? 0o755 : 0o644 | (stat.mode & 0o111)))
    return Object.assign(node, { node_ops: nodeOps, stream_ops: streamOps })
  }

  /** @param {any} node @param {import('node:fs').Stats} stat */
  const attributes = (node, stat) => ({
    dev: 1,
    ino: node.id,
    mode: node.mode,
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size: stat.size,
    atime: stat.mtime,
    mtime: stat.mtime,
    ctime: stat.mtime,
    blksize: 4096,
    blocks: Math.ceil(stat.size / 512),
  })

  const nodeOps = {
    getattr: (/** @type {any} */ node) => attributes(node, translated(() => statSync(place(nameOf(node))))),
    lookup: (/** @type {any} */ parent, /** @type {string} */ name) => createNode(parent, name, join(nameOf(parent), name)),
    readdir(/** @type {any} */ node) {
      const folder = translated(() => place(nameOf(node)))
      const shown = translated(() => readdirSync(folder, { withFileTypes: true })).filter((entry) => isShown(join(folder, entry.name), entry))
      return ['.', '..', ...shown.map((entry) => entry.name)]
    },
    setattr: readOnly,
    mknod: readOnly,
    rename: readOnly,
    unlink: readOnly,
    rmdir: readOnly,
    symlink: readOnly,
  }

  /** @param {string} path @param {import('node:fs').Dirent} entry */
  const isShown = (path, entry) => {
    try {
      const real = place(path)
      return entry.isFile() || entry.isDirectory() || (entry.isSymbolicLink() && !isSpecial(real))
    } catch {
      return false
    }
  }

  const streamOps = {
    open(/** @type {any} */ stream) {
      try {
        if (stream.flags & WRITES) readOnly()
        if (!FS.isDir(stream.node.mode)) stream.host = { fd: translated(() => openFile(place(nameOf(stream.node)))), users: 1 }
      } catch (error) {
        FS.closeStream(stream.fd)
        throw error
      }
    },
    dup(/** @type {any} */ stream) {
      if (stream.host) stream.host.users++
    },
    close(/** @type {any} */ stream) {
      if (stream.host && --stream.host.users === 0) closeSync(stream.host.fd)
    },
    read: (/** @type {any} */ stream, /** @type {Uint8Array} */ into, /** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ position) =>
      translated(() => readSync(stream.host.fd, into, at, length, position)),
    llseek(/** @type {any} */ stream, /** @type {number} */ offset, /** @type {number} */ whence) {
      const from = whence === 1 ? stream.position : whence === 2 && stream.host ? translated(() => fstatSync(stream.host.fd).size) : 0
      if (from + offset < 0) throw new FS.ErrnoError(EINVAL)
      return from + offset
    },
  }

  return { mount: () => createNode(null, '/', top) }
}

/** @param {string} path */
function openFile(path) {
  const fd = openSync(path, READ)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw Object.assign(new Error('not a regular file'), { code: 'ENOENT' })
}

/** @param {string} path */
function isSpecial(path) {
  const stat = lstatSync(path)
  return !stat.isFile() && !stat.isDirectory()
}
