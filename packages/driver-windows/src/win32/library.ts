import koffi from 'koffi'

/** A handle or an address; every handle of Windows fits. */
export type Handle = number

type Value = number | bigint | string | Buffer | null

/** Functions of one DLL by their C declarations. Buffers are passed by address, in both directions. */
export function library<N extends string>(dll: string, declarations: Record<N, string>): Record<N, (...args: Value[]) => number> {
  const handle = koffi.load(dll)
  const functions = {} as Record<N, (...args: Value[]) => number>
  for (const name of Object.keys(declarations) as N[]) {
    const call = handle.func(declarations[name].replace('(', ` __stdcall ${name}(`).trimStart()) as (...args: Value[]) => number | bigint
    functions[name] = (...args) => Number(call(...args))
  }
  return functions
}

/**
 * Wine hands some calls on with a look at the memory above their frame, which koffi places at the very end of its own stack, before a page that
 * must not be read: the call then faults for ever. Where this is Wine that page is made readable. Answers with Wine's version.
 */
export function prepareForWine(): string | undefined {
  let version: string
  try {
    version = koffi.load('ntdll.dll').func('const char *wine_get_version()')() as string
  } catch {
    return undefined
  }
  const kernel = koffi.load('kernel32.dll')
  const limits = kernel.func('void __stdcall GetCurrentThreadStackLimits(void *low, void *high)') as (low: Buffer, high: Buffer) => void
  const allocate = kernel.func('uint64 __stdcall VirtualAlloc(uint64 at, uint64 size, uint32 type, uint32 protect)') as (
    ...args: (number | bigint)[]
  ) => unknown
  const [low, high] = [Buffer.alloc(8), Buffer.alloc(8)]
  limits(low, high)
  allocate(high.readBigUInt64LE(), 4096, 0x1000, 4)
  return version
}
