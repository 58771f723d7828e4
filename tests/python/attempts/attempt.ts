/**
 * One way to try to get out, in Python. `T` holds the targets: `secret` (a file to read), `vault` (its folder), `pwned` (a file to create),
 * `port`, `udp`, `unix`, `abstract` (sockets that listen), `mark` (digits for command lines), `pid` (the process to hurt).
 * An attempt that gets somewhere and cannot show it outside prints REACHED.
 */
export interface Attempt {
  area: 'files' | 'network' | 'processes' | 'environment' | 'bridge' | 'native' | 'kernel' | 'exhaustion'
  name: string
  code: string
  /** Spoils the interpreter for the attempts after it. */
  alone?: boolean
  /** Would do harm where nothing holds it, so it is not tried without a sandbox. */
  harmful?: boolean
}

/** Several attempts of one area from blocks of Python that each start with a line "# name", "# alone: name" or "# harmful: name". */
export function attempts(area: Attempt['area'], text: string): Attempt[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n')
      const [, flags = '', name = ''] = /^((?:(?:alone|harmful): )*)(.*)$/.exec(head) ?? []
      return { area, name, code: lines.join('\n'), alone: flags.includes('alone'), harmful: flags.includes('harmful') }
    })
}
