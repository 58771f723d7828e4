import { win32 } from 'node:path'
import type { AppIdentity } from '@deskhand/core/model'
import { kernel32 } from './win32/api.ts'

const QUERY_LIMITED = 0x1000

/** Which programs run behind windows, by process id. A process keeps its image, so each is asked for once while it lives. */
export class Apps {
  readonly #known = new Map<number, AppIdentity>()

  of(pid: number): AppIdentity {
    const known = this.#known.get(pid)
    if (known !== undefined) return known
    const executable = executableOf(pid)
    const name = executable === undefined ? `process ${pid}` : win32.basename(executable).replace(/\.exe$/i, '')
    const app: AppIdentity = {
      id: `${name.toLowerCase()}-${pid}`,
      name,
      pid,
      ...(executable !== undefined && { executable }),
      toolkit: 'win32',
    }
    this.#known.set(pid, app)
    return app
  }

  /** Forgets processes without a window: their ids may be given to others. */
  keep(pids: ReadonlySet<number>): AppIdentity[] {
    for (const pid of this.#known.keys()) if (!pids.has(pid)) this.#known.delete(pid)
    return [...this.#known.values()]
  }
}

function executableOf(pid: number): string | undefined {
  const process = kernel32.OpenProcess(QUERY_LIMITED, 0, pid)
  if (process === 0) return undefined
  try {
    const [name, size] = [Buffer.alloc(2 * 1024), Buffer.alloc(4)]
    size.writeUInt32LE(1024, 0)
    return kernel32.QueryFullProcessImageNameW(process, 0, name, size) === 0
      ? undefined
      : name.toString('utf16le', 0, 2 * size.readUInt32LE(0))
  } finally {
    kernel32.CloseHandle(process)
  }
}
