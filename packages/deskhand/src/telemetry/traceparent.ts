/** The trace that a client names for a call, by W3C Trace Context; what is not well-formed counts as none. */
export function traceparentOf(given: unknown): string | undefined {
  return typeof given === 'string' && /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(given) ? given : undefined
}
