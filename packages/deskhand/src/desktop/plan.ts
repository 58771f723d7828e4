import { readSandboxFile, type SandboxFile } from './file.ts'
import { installLine, notInstalled } from './packages.ts'
import { missingPrograms } from './programs.ts'
import type { DisplayName } from './record.ts'
import type { SandboxOptions } from './sandbox.ts'

/** What the flags of a command or the configuration say about a sandbox. */
export interface Wish {
  file?: string
  width?: number
  height?: number
  vnc?: boolean
  isolate?: boolean
  display?: DisplayName
}

export interface Plan {
  options: Omit<SandboxOptions, 'stateDir'>
  /** What of the file is done otherwise or not at all. */
  warnings: string[]
}

/** Flags, the sandbox file and what is installed here, brought together. What a flag asks for must be there; what only the file asks for may be missing. */
export async function planSandbox(wish: Wish): Promise<Plan> {
  const { file, width, height, isolate, vnc, display } = wish
  if (file === undefined) return { options: { width, height, isolate, vnc, display }, warnings: [] }
  const read = readSandboxFile(file)
  const warnings = [...read.warnings, ...(await aboutPackages(file, read))]
  const canShow = display !== 'wayland' && missingPrograms({ vnc: true }).includes('x11vnc') === false
  if (read.vnc && !canShow) warnings.push(`x11vnc is not installed, so nothing listens for VNC; ${installLine(['x11vnc'])} brings it`)
  const { name, size, environment, startup } = read
  const options = {
    name,
    width: width ?? size?.width,
    height: height ?? size?.height,
    environment,
    startup,
    isolate,
    display,
    vnc: vnc ?? (read.vnc && canShow),
  }
  return { options, warnings }
}

/** Every Debian package that a wish needs and this machine lacks. */
export async function lackingPackages(wish: Wish): Promise<string[]> {
  const apt = wish.file === undefined ? [] : readSandboxFile(wish.file).apt
  return [...new Set([...missingPrograms(wish), ...((await notInstalled(apt)) ?? apt)])]
}

async function aboutPackages(file: string, { apt }: SandboxFile): Promise<string[]> {
  const lacking = await notInstalled(apt)
  if (lacking === undefined) return ['packages.apt: cannot be checked, as this is no Debian system']
  if (lacking.length === 0) return []
  return [
    `packages.apt: ${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not installed; deskhand desktop install --file ${file} runs: ${installLine(lacking)}`,
  ]
}
