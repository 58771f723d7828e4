import { ask } from './hatch.mjs'

/** A file system for the interpreter that shows the lent folder. Nothing in it can be changed. */
const ENOENT = 44
const EROFS = 69
const EINVAL = 28
const FOLDER = 0o040755
const FILE = 0o100644
const EXECUTABLE = 0o100755
/** O_WRONLY, O_RDWR, O_TRUNC and O_APPEND as the interpreter numbers them. */
const WRITES = 1 | 2 | 512 | 1024

/** @typedef {{ folder: boolean, size: number, mtimeMs: number, executable: boolean }} Info */

/** @param {any} FS the interpreter's own file system @param {Record<string, number>} errnos */
export function lentFolder(FS, errnos) {
  /** @param {any} node @returns {string} */
  const pathOf = (node) =>
    node.parent === node ? '' : node.parent.parent === node.parent ? node.name : `${pathOf(node.parent)}/${node.name}`

  /** @param {unknown[]} question @returns {any} */
  const reach = (...question) => {
    try {
      return ask(...question)
    } catch (error) {
      const { code } = /** @type {{ code?: string }} */ (error)
      if (code === undefined) throw error
      throw new FS.ErrnoError(errnos[code] ?? ENOENT)
    }
  }

  const readOnly = () => {
    throw new FS.ErrnoError(EROFS)
  }

  /** @param {any} parent @param {string} name @param {number} mode */
  const createNode = (parent, name, mode) => Object.assign(FS.createNode(parent, name, mode), { node_ops: nodeOps, stream_ops: streamOps })

  const nodeOps = {
    getattr(/** @type {any} */ node) {
      const { size, mtimeMs } = /** @type {Info} */ (reach('stat', pathOf(node)))
      const time = new Date(mtimeMs)
      const about = { dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0 }
      return { ...about, size, atime: time, mtime: time, ctime: time, blksize: 4096, blocks: Math.ceil(size / 512) }
    },
    lookup(/** @type {any} */ parent, /** @type {string} */ name) {
      const folder = pathOf(parent)
      const { folder: isFolder, executable } = /** @type {Info} */ (reach('stat', folder ? `${folder}/${name}` : name))
      return createNode(parent, name, isFolder ? FOLDER : executable ? EXECUTABLE : FILE)
    },
    readdir: (/** @type {any} */ node) => ['.', '..', ...reach('list', pathOf(node))],
    setattr: readOnly,
    mknod: readOnly,
    rename: readOnly,
    unlink: readOnly,
    rmdir: readOnly,
    symlink: readOnly,
  }

  const streamOps = {
    open(/** @type {any} */ stream) {
      try {
        if (stream.flags & WRITES) readOnly()
        if (!FS.isDir(stream.node.mode)) stream.lent = { id: reach('open', pathOf(stream.node)), users: 1 }
      } catch (error) {
        FS.closeStream(stream.fd)
        throw error
      }
    },
    dup(/** @type {any} */ stream) {
      if (stream.lent) stream.lent.users++
    },
    close(/** @type {any} */ stream) {
      if (stream.lent && --stream.lent.users === 0) reach('close', stream.lent.id)
    },
    read(
      /** @type {any} */ stream,
      /** @type {Int8Array} */ into,
      /** @type {number} */ at,
      /** @type {number} */ length,
      /** @type {number} */ position,
    ) {
      const bytes = reach('read', stream.lent.id, position, length)
      into.set(bytes, at)
      return bytes.length
    },
    llseek(/** @type {any} */ stream, /** @type {number} */ offset, /** @type {number} */ whence) {
      const from = whence === 1 ? stream.position : whence === 2 && stream.lent ? reach('stat', pathOf(stream.node)).size : 0
      if (from + offset < 0) throw new FS.ErrnoError(EINVAL)
      return from + offset
    },
  }

  return { mount: () => createNode(null, '/', FOLDER) }
}
