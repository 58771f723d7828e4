/** A promise for later: when the test fails before it is awaited, its rejection is not reported as unhandled. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
