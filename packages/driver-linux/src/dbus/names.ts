const PATH = /^\/$|^(?:\/[A-Za-z0-9_]+)+$/
const BUS_NAME = /^(?::[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+|[A-Za-z_-][A-Za-z0-9_-]*(?:\.[A-Za-z_-][A-Za-z0-9_-]*)+)$/

/** Names come from applications; the daemon drops a client that sends it a bad one, so they are checked on the way in and out. */
export const isObjectPath = (s: string): boolean => PATH.test(s)
export const isBusName = (s: string): boolean => s.length <= 255 && BUS_NAME.test(s)
