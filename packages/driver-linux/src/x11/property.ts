import type { Display } from './display.ts'

/** A window's property as 32-bit numbers; empty when it has none or is gone. */
export async function numbers(display: Display, window: number, name: string): Promise<number[]> {
  const data = await bytes(display, window, name)
  return Array.from({ length: data.length >> 2 }, (_, i) => data.readUInt32LE(i * 4))
}

export async function text(display: Display, window: number, name: string): Promise<string> {
  return (await bytes(display, window, name)).toString('utf8')
}

async function bytes(display: Display, window: number, name: string): Promise<Buffer> {
  const atom = await display.atom(name)
  try {
    const property = await display.ask<{ data: Buffer }>((reply) => display.client.GetProperty(0, window, atom, 0, 0, 1 << 18, reply))
    return property.data
  } catch (error) {
    if (display.isOpen) return Buffer.alloc(0)
    throw error
  }
}

/** The window manager has announced itself. */
export async function hasWindowManager(display: Display): Promise<boolean> {
  const [check] = await numbers(display, display.root, '_NET_SUPPORTING_WM_CHECK')
  return check !== undefined && (await numbers(display, check, '_NET_SUPPORTING_WM_CHECK'))[0] === check
}
