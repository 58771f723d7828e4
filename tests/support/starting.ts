/** An application or a desktop did not come up. In CI a file in which nothing else failed is tried again: the machine may have been busy. */
export class SlowStart extends Error {
  override name = 'SlowStart'
}

/** The start of an application or a desktop; what goes wrong in it is told as that. */
export async function starting<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new SlowStart(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
