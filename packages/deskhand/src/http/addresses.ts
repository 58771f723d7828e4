import type { IncomingMessage } from 'node:http'
import { DeskhandError } from '@deskhand/core/errors'
import { Refusal } from './problem.ts'

/** What a request asks for, below the server's own address. One that states a whole address means that one, whatever its header says. */
export function addressOf({ url = '/' }: IncomingMessage, own: string, checkHost: (host: string) => void): URL {
  // `//name/path` is a path here; relative to an address it would be one of another host.
  const whole = url.startsWith('/') ? `${own}${url}` : url
  if (!URL.canParse(whole)) throw new Refusal(400, new DeskhandError('BAD_ARGS', 'the address is not well-formed'))
  const address = new URL(whole)
  if (whole === url) checkHost(address.host)
  return address
}

/** Without the query and what may stand before a host, which may hold what a client should not have put there. */
export const pathOf = ({ url = '' }: IncomingMessage): string =>
  url
    .replace(/^\w+:\/\/[^/?]*/, '')
    .replace(/\?.*/, '')
    .slice(0, 150)
