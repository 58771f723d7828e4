import { failing, type Task } from './task.ts'

const ASK = `#!/bin/sh
printf 'Name of the host: '; read name
printf 'Port [22]: '; read port
printf 'Type yes to write %s: ' "$HOME/host.conf"; read sure
[ "$sure" = yes ] && printf 'host=%s\\nport=%s\\n' "$name" "\${port:-22}" > "$HOME/host.conf" && echo written
exec sh
`
const LOG = Array.from(
  { length: 40 },
  (_, i) => `10:${String(i).padStart(2, '0')} ${i % 13 === 5 ? `ERROR disk ${i} failed` : `ok step ${i}`}`,
)
const DIAL = `#!/bin/sh
clear; printf 'The door code is %s.\\nCode: ' "$(cat "$HOME/.code")"; read code
printf '%s' "$code" > "$HOME/door.txt"; echo thanks; exec sh
`

export const terminal: Task[] = [
  {
    id: 'terminal-answers',
    packages: ['xfce4-terminal'],
    instruction:
      'In the open terminal a program asks for the settings of a host. Answer: host "mail.example.org", port 2525, and let it write the file.',
    prepare: (home) => home.write('ask.sh', ASK),
    open: [['xfce4-terminal', '--disable-server', '-x', 'sh', '~/ask.sh']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.type', { text: 'mail.example.org\n2525\nyes\n' }],
    ],
    check: (home) => failing({ 'the file says what was answered': home.read('host.conf') === 'host=mail.example.org\nport=2525\n' }),
    wrong: {
      'the port left at 22': (home) => home.write('host.conf', 'host=mail.example.org\nport=22\n'),
      'both in one line': (home) => home.write('host.conf', 'host=mail.example.org2525\nport=22\n'),
    },
  },
  {
    id: 'terminal-grep',
    packages: ['xfce4-terminal'],
    instruction: 'Use the open terminal to write the lines of ~/day.log that say ERROR, and no others, into ~/errors.txt.',
    prepare: (home) => home.write('day.log', `${LOG.join('\n')}\n`),
    open: [['xfce4-terminal', '--disable-server', '--default-working-directory=~/']],
    solution: [['ui.type', { text: 'grep ERROR ~/day.log > ~/errors.txt\n' }]],
    check: (home) =>
      failing({ 'the file has these lines': home.read('errors.txt').trim() === LOG.filter((line) => line.includes('ERROR')).join('\n') }),
    wrong: {
      'only the first': (home) => home.write('errors.txt', `${LOG[5]}\n`),
      'all lines': (home) => home.write('errors.txt', LOG.join('\n')),
    },
  },
  {
    id: 'xterm-code',
    packages: ['xterm'],
    instruction: 'The open terminal shows a door code and asks for it. Enter it.',
    prepare: (home) => {
      home.write('.code', '48213')
      home.write('dial.sh', DIAL)
    },
    open: [['xterm', '-fa', 'Monospace', '-fs', '14', '-e', 'sh', '~/dial.sh']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.type', { text: '48213\n' }],
    ],
    check: (home) => failing({ 'the code was entered': home.read('door.txt') === '48213' }),
    wrong: { 'two digits changed places': (home) => home.write('door.txt', '48231') },
  },
]
