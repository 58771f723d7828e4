import { join } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { PrincipalRole } from '@deskhand/core/model/principal'
import { DesktopState } from '../broker/desktop-state.ts'
import { TokenFiles } from '../broker/token-files.ts'
import type { Common } from './common.ts'
import { placeOf, settingsOf } from './connect.ts'

interface Options {
  role?: string
  all?: boolean
}

/** Makes a token for a client elsewhere and shows it this once. */
export async function add(common: Common, id: string, options: Options): Promise<void> {
  const role = PrincipalRole.safeParse(options.role)
  if (!role.success)
    throw new DeskhandError('BAD_ARGS', `there is no role ${options.role}`, { next: `Use ${PrincipalRole.options.join(', ')}.` })
  const token = (await filesOf(common, options)).issue(id, role.data)
  process.stderr.write('It is shown this once; only its digest is kept. Making it again makes this one void.\n')
  process.stdout.write(`${token}\n`)
}

export async function list(common: Common, options: Options): Promise<void> {
  for (const { id, role } of (await filesOf(common, options)).list()) process.stdout.write(`${id}\t${role ?? 'unknown role'}\n`)
}

export async function remove(common: Common, id: string, options: Options): Promise<void> {
  if (!(await filesOf(common, options)).remove(id))
    throw new DeskhandError('BAD_ARGS', `there is no token of ${id}`, { next: 'deskhand token list shows them.' })
  process.stdout.write(`${id} is out, a second from now\n`)
}

/** The tokens of one desktop, or those that count for all desktops of the server. */
async function filesOf(common: Common, { all = false }: Options): Promise<TokenFiles> {
  const { state, name, kind } = await settingsOf(common)
  if (all) return new TokenFiles(join(state, 'server', 'tokens'))
  const place = (await placeOf(common)) ?? new DesktopState(state, name ?? kind)
  place.prepare()
  return place.tokens
}
