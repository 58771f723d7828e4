import { readFileSync, realpathSync } from 'node:fs'
import { socketPaths } from '../dbus/address.ts'
import { openFiles } from '../open-files.ts'

/** Of a listening socket in /proc/net/unix. */
const LISTENS = '00010000'

/** Whether every socket of a D-Bus address is one that this process listens on: an application may name any other. */
export function isOwnAddress(address: string, pid: number): boolean {
  const paths = socketPaths(address)
  return paths.length > 0 && paths.every((path) => listensOn(pid, path))
}

function listensOn(pid: number, path: string): boolean {
  try {
    // A link would lead elsewhere than the name says.
    if (!path.startsWith('\0') && realpathSync(path) !== path) return false
    const inodes = listeners(path.replace('\0', '@'))
    if (inodes.length === 0) return false
    const open = openFiles(pid)
    return inodes.every((inode) => open.has(`socket:[${inode}]`))
  } catch {
    return false
  }
}

/** The inodes of the sockets that are bound to a name and listen; the fields of a line are address, references, protocol, flags, type, state, inode, name. */
function listeners(name: string): string[] {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, , , flags, , , inode, ...bound] = line.trim().split(/\s+/)
    return inode !== undefined && flags === LISTENS && bound.join(' ') === name ? [inode] : []
  })
}
