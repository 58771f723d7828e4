import { batch, failing, type Home, type Task } from './task.ts'

/** A picture of one colour on the left and another on the right, as a PPM that a program of Debian turns into a PNG. */
function picture(home: Home, name: string, width: number, height: number): void {
  const pixels = Array.from({ length: width * height }, (_, i) => (i % width < width / 2 ? '200 30 30' : '30 30 200'))
  home.write('picture.ppm', `P3\n${width} ${height}\n255\n${pixels.join('\n')}\n`)
  home.ask(
    '/usr/bin/python3',
    '-c',
    'import sys; from PIL import Image; Image.open(sys.argv[1]).save(sys.argv[2])',
    home.path('picture.ppm'),
    home.path(name),
  )
}

/** Width, height, and the colours of the upper left and the lower right corner. */
const seen = (home: Home, name: string): string =>
  home
    .ask(
      '/usr/bin/python3',
      '-c',
      'import sys; from PIL import Image; i = Image.open(sys.argv[1]).convert("RGB"); print(i.width, i.height, "red" if i.getpixel((1, 1))[0] > 100 else "blue", "red" if i.getpixel((i.width - 2, i.height - 2))[0] > 100 else "blue")',
      home.path(name),
    )
    .trim()

const ACCOUNT = `[Account: 1]
account_name=Work
is_default=1
name=Ada Lindqvist
address=ada@example.org
protocol=6
receive_server=
smtp_server=127.0.0.1
set_smtpport=1
smtp_port={port}
ssl_smtp=0
use_smtp_auth=0
`
const message = (n: number, from: string, subject: string): string =>
  `From: ${from}\nTo: ada@example.org\nSubject: ${subject}\nDate: Mon, 0${n} Nov 2026 10:00:00 +0000\nMessage-ID: <${n}@example.org>\nContent-Type: text/plain; charset=utf-8\n\nHello Ada,\nthis is about ${subject}.\n`
function mailbox(home: Home): void {
  home.write('.claws-mail/accountrc', ACCOUNT)
  home.write('.claws-mail/clawsrc', '[Common]\nask_on_quit=0\nnever_send_retrcpt=1\nwarn_queued_on_exit=0\nenable_aspell=0\n')
  home.write(
    '.claws-mail/folderlist.xml',
    '<?xml version="1.0" encoding="UTF-8"?>\n<folderlist>\n<folder type="mh" name="Mail" path="Mail">\n<folderitem type="inbox" name="inbox" path="inbox"/><folderitem type="outbox" name="sent" path="sent"/><folderitem type="draft" name="draft" path="draft"/><folderitem type="queue" name="queue" path="queue"/><folderitem type="trash" name="trash" path="trash"/><folderitem type="normal" name="Done" path="Done"/>\n</folder>\n</folderlist>\n',
  )
  for (const folder of ['inbox', 'sent', 'draft', 'queue', 'trash', 'Done']) home.write(`Mail/${folder}/.keep`, '')
  home.write('Mail/inbox/1', message(1, 'boris@example.org', 'Budget 2027'))
  home.write('Mail/inbox/2', message(2, 'chen@example.org', 'Heating'))
  home.write('Mail/inbox/3', message(3, 'dalia@example.org', 'Summer party'))
}

export const deskApps: Task[] = [
  {
    id: 'mail-send',
    packages: ['claws-mail'],
    instruction: 'Write a mail to boris@example.org with the subject "Meeting" and the text "We meet on Friday at ten." and send it.',
    prepare: mailbox,
    server: 'smtp',
    open: [['claws-mail']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Compose"' }],
      batch(
        [
          'ui.set',
          {
            fields: [
              { target: 'window~="Compose" >> role=textbox && focused=true', value: 'boris@example.org' },
              { target: 'role=textbox && name="Subject:"', value: 'Meeting' },
            ],
          },
        ],
        ['ui.key', { keys: 'Tab' }],
        ['ui.type', { text: 'We meet on Friday at ten.' }],
        ['ui.click', { target: 'window~="Compose" >> role=button && name="Send"' }],
      ),
    ],
    check: (home) => {
      const sent = home.read('server/1.eml')
      return failing({
        'one mail was sent': sent !== '' && !home.has('server/2.eml'),
        'to that address alone': /^RCPT TO:<boris@example\.org>/m.test(sent) && sent.match(/^RCPT/gm)?.length === 1,
        'with that subject': /^Subject: Meeting$/m.test(sent),
        'and that text': sent.includes('We meet on Friday at ten.'),
      })
    },
    wrong: {
      'without a text': (home) =>
        home.write('server/1.eml', 'MAIL FROM:<ada@example.org>\nRCPT TO:<boris@example.org>\n\nSubject: Meeting\n\n'),
    },
  },
  {
    id: 'drawing-rotate',
    packages: ['drawing', 'python3-pil'],
    instruction: 'Turn the open picture ~/flag.png by 90 degrees to the right (clockwise) and save it under the same name.',
    prepare: (home) => picture(home, 'flag.png', 120, 80),
    open: [['drawing', '~/flag.png']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="No"' }],
      ['ui.click', { target: 'role=listitem && name~="Rotate"' }],
      batch(
        ['ui.click', { target: 'role=button && description="Rotate right"' }],
        ['ui.click', { target: 'role=button && description="Apply transformation"' }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) => failing({ 'it stands upright, what was left is on top': seen(home, 'flag.png') === '80 120 red blue' }),
    wrong: {
      'to the left': (home) =>
        home.ask(
          '/usr/bin/python3',
          '-c',
          'import sys; from PIL import Image; Image.open(sys.argv[1]).rotate(90, expand=True).save(sys.argv[1])',
          home.path('flag.png'),
        ),
    },
  },
  {
    id: 'mousepad-settings',
    packages: ['mousepad'],
    instruction: 'In the preferences of the open editor switch on the line numbers and set the tab width to 3.',
    open: [['env', 'GSETTINGS_BACKEND=keyfile', 'mousepad']],
    solution: [
      ['ui.menu', { path: ['Edit', 'Preferences...'] }],
      batch(['ui.set', { target: 'name="Show line numbers"', value: true }], ['ui.click', { target: 'role=tab && name="Editor"' }]),
      ['ui.set', { target: 'role=spinbutton && label="Tab width:"', value: 3 }],
    ],
    check: (home) => {
      const settings = home.read('.config/glib-2.0/settings/keyfile')
      return failing({
        'line numbers are on': /show-line-numbers=true/.test(settings),
        'the tab width is 3': /tab-width=(uint32 )?3\b/.test(settings),
      })
    },
    wrong: {
      'the tab width alone': (home) =>
        home.write('.config/glib-2.0/settings/keyfile', '[org/xfce/mousepad/preferences/view]\ntab-width=uint32 3\n'),
    },
  },
  {
    id: 'terminal-settings',
    packages: ['xfce4-terminal'],
    instruction: 'In the preferences of the open terminal set the scrollback to 5000 lines.',
    open: [['xfce4-terminal', '--disable-server']],
    solution: [
      ['ui.menu', { path: ['Edit', 'Preferences...'] }],
      ['ui.set', { target: 'role=spinbutton && name="Scrollback"', value: 5000 }],
    ],
    check: (home) => failing({ 'it is 5000': /^ScrollingLines=5000$/m.test(home.read('.config/xfce4/terminal/terminalrc')) }),
    wrong: { '500': (home) => home.write('.config/xfce4/terminal/terminalrc', '[Configuration]\nScrollingLines=500\n') },
  },
  {
    id: 'homebank-payee',
    packages: ['homebank'],
    instruction: 'In the open file ~/money.xhb add a payee named "Bakery Sun" and save the file.',
    prepare: (home) =>
      home.write(
        'money.xhb',
        '<?xml version="1.0"?>\n<homebank v="1.4" d="050504">\n<properties title="Ada" curr="1"/>\n<cur key="1" flags="0" iso="EUR" name="Euro" symb="€" syprf="0" dchar="," gchar=" " frac="2" rate="1" mdate="0"/>\n<account key="1" pos="1" type="1" curr="1" name="Purse" initial="50" minimum="0"/>\n<pay key="1" name="Railway"/>\n</homebank>\n',
      ),
    open: [['homebank', '~/money.xhb']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Payee"' }],
      ['ui.click', { target: 'role=togglebutton && name="Add"' }],
      batch(
        ['ui.type', { target: '@new in e\\d+ dialog:\\n(e\\d+) textbox', text: 'Bakery Sun', submit: 'Enter' }],
        ['ui.click', { target: 'role=dialog >> role=button && name="Close"' }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) =>
      failing({
        'both payees are there':
          [...home.read('money.xhb').matchAll(/<pay [^>]*name="([^"]*)"/g)]
            .map(([, name = '']) => name)
            .toSorted((a, b) => a.localeCompare(b))
            .join() === 'Bakery Sun,Railway',
      }),
    wrong: {
      'the other one renamed': (home) => home.edit('money.xhb', 'Railway', 'Bakery Sun'),
      'in two words': (home) =>
        home.edit('money.xhb', '<pay key="1" name="Railway"/>', '<pay key="1" name="Railway"/>\n<pay key="2" name="Bakery"/>'),
    },
  },
  {
    id: 'calculator-note',
    packages: ['gnome-calculator', 'mousepad'],
    instruction:
      'Work out 1234.5 × 0.19 with the open calculator and write the result, nothing else, into the open note ~/vat.txt; save it.',
    prepare: (home) => home.write('vat.txt', ''),
    open: [['mousepad', '~/vat.txt'], ['gnome-calculator']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.type', { target: 'app~="calculator" >> role=textbox && editable=true', text: '1234.5*0.19\n' }],
      batch(['ui.type', { target: 'window~="vat.txt" >> role=textbox', text: '234.555' }], ['ui.key', { keys: 'ctrl+s' }]),
    ],
    check: (home) => failing({ 'the note says 234.555': home.read('vat.txt').trim().replace(',', '.') === '234.555' }),
    wrong: { 'the sum': (home) => home.write('vat.txt', '1234.69\n') },
  },
  {
    id: 'evince-total',
    packages: ['evince', 'mousepad'],
    instruction:
      'Read the total of the open invoice ~/invoice.pdf and write the number, nothing else, into the open note ~/total.txt; save it.',
    prepare: (home) => {
      home.write('invoice.pdf', pdf(['Invoice 2026-118', 'Desk lamp 40.00', 'Chair 118.50', 'Total 158.50', 'Paid so far 20.00']))
      home.write('total.txt', '')
    },
    open: [
      ['mousepad', '~/total.txt'],
      ['evince', '~/invoice.pdf'],
    ],
    solution: [
      ['ui.snapshot', { includeScreenshot: true }],
      batch(['ui.type', { target: 'window~="total.txt" >> role=textbox', text: '158.50' }], ['ui.key', { keys: 'ctrl+s' }]),
    ],
    check: (home) => failing({ 'the note says 158.50': /^158\.50?$/.test(home.read('total.txt').trim()) }),
    wrong: { 'the first item': (home) => home.write('total.txt', '40.00\n') },
  },
]

/** A page of text. */
function pdf(lines: readonly string[]): string {
  const stream = `BT /F1 18 Tf 72 760 Td 26 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj${object}endobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  return `${text}xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`
}
