import { readdirSync } from 'node:fs'
import { batch, failing, type Home, type Task } from './task.ts'

const names = (home: Home, folder: string): string => (home.has(folder) ? readdirSync(home.path(folder)).toSorted().join() : '')
const scan = (n: number): string => `%PDF-1.4 scan ${n}\n`

export const files: Task[] = [
  {
    id: 'thunar-rename',
    packages: ['thunar'],
    instruction: 'In the open folder ~/Scans rename scan0003.pdf to invoice-2026.pdf.',
    prepare: (home) => [1, 2, 3, 4].forEach((n) => home.write(`Scans/scan000${n}.pdf`, scan(n))),
    open: [['thunar', '~/Scans']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.key', { keys: 'ctrl+2' }],
      batch(['ui.click', { target: 'role=cell && name="scan0003.pdf"' }], ['ui.key', { keys: 'F2' }]),
      ['ui.type', { target: 'role=dialog >> role=textbox', text: 'invoice-2026.pdf', mode: 'replace', submit: 'Enter' }],
    ],
    check: (home) =>
      failing({
        'the others are there, and one has the new name':
          names(home, 'Scans') === 'invoice-2026.pdf,scan0001.pdf,scan0002.pdf,scan0004.pdf',
        'it is the right one': home.read('Scans/invoice-2026.pdf') === scan(3),
      }),
    wrong: {
      'another file': (home) => (home.write('Scans/invoice-2026.pdf', scan(2)), home.ask('rm', 'Scans/scan0003.pdf')),
      'the ending twice': (home) => home.ask('mv', 'Scans/scan0003.pdf', 'Scans/invoice-2026.pdf.pdf'),
    },
  },
  {
    id: 'thunar-move',
    packages: ['thunar'],
    instruction: 'In the open folder ~/Photos make a folder "Lisbon" and move lisbon-1.txt and lisbon-2.txt into it.',
    prepare: (home) => ['lisbon-1', 'lisbon-2', 'madrid-1', 'porto-1'].forEach((name) => home.write(`Photos/${name}.txt`, name)),
    open: [['thunar', '~/Photos']],
    solution: [
      ['ui.snapshot', {}],
      batch(['ui.key', { keys: 'ctrl+2' }], ['ui.menu', { path: ['File', 'Create Folder...'] }]),
      ['ui.type', { target: 'role=dialog >> role=textbox', text: 'Lisbon', mode: 'replace', submit: 'Enter' }],
      batch(
        ['ui.click', { target: 'role=cell && name="lisbon-1.txt"' }],
        ['ui.click', { target: 'role=cell && name="lisbon-2.txt"', modifiers: ['ctrl'] }],
        ['ui.key', { keys: 'ctrl+x' }],
      ),
      batch(['ui.click', { target: 'role=cell && name="Lisbon"', clickCount: 2 }], ['ui.key', { keys: 'ctrl+v' }]),
    ],
    check: (home) =>
      failing({
        'both are in Lisbon': names(home, 'Photos/Lisbon') === 'lisbon-1.txt,lisbon-2.txt',
        'the others stayed': names(home, 'Photos') === 'Lisbon,madrid-1.txt,porto-1.txt',
      }),
    wrong: {
      copied: (home) => (home.ask('mkdir', 'Photos/Lisbon'), home.ask('cp', 'Photos/lisbon-1.txt', 'Photos/lisbon-2.txt', 'Photos/Lisbon')),
      'one too many': (home) => (
        home.ask('mkdir', 'Photos/Lisbon'),
        home.ask('mv', 'Photos/lisbon-1.txt', 'Photos/lisbon-2.txt', 'Photos/madrid-1.txt', 'Photos/Lisbon')
      ),
    },
  },
  {
    id: 'pcmanfm-trash',
    packages: ['pcmanfm-qt'],
    instruction: 'In the open folder ~/Downloads delete setup-old.bin (the wastebasket is fine) and keep everything else.',
    prepare: (home) => ['notes.txt', 'setup-new.bin', 'setup-old.bin'].forEach((name) => home.write(`Downloads/${name}`, name)),
    open: [['pcmanfm-qt', '~/Downloads']],
    solution: [
      ['ui.snapshot', {}],
      batch(
        // The program enables its commands a fifth of a second after a file is chosen, when the bar below tells of it.
        ['ui.click', { target: 'role=listitem && name="setup-old.bin"', verify: { text: '(13 bytes)' } }],
        ['ui.key', { keys: 'Delete' }],
      ),
      ['ui.click', { target: 'role=button && name="Yes"', timeoutMs: 30_000 }],
    ],
    check: (home) => failing({ 'only that file is gone': names(home, 'Downloads') === 'notes.txt,setup-new.bin' }),
    wrong: {
      'the new one': (home) => home.ask('rm', 'Downloads/setup-new.bin'),
      both: (home) => home.ask('rm', 'Downloads/setup-new.bin', 'Downloads/setup-old.bin'),
    },
  },
  {
    id: 'xarchiver-extract',
    packages: ['xarchiver', 'zip', 'unzip'],
    instruction: 'The archive ~/backup.zip is open. Extract everything in it to ~/restored.',
    prepare: (home) => {
      home.write('stuff/a.txt', 'alpha')
      home.write('stuff/b.txt', 'beta')
      home.write('restored/keep.txt', 'keep')
      home.ask('sh', '-c', 'cd stuff && zip -q ../backup.zip a.txt b.txt && cd .. && rm -r stuff')
    },
    open: [['xarchiver', '~/backup.zip']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Extract"' }],
      batch(
        [
          'ui.set',
          {
            fields: [
              { target: 'role=dialog >> role=textbox && focused=true', value: '~/restored' },
              { target: 'name="Ensure a containing directory"', value: false },
            ],
          },
        ],
        ['ui.click', { target: 'role=dialog >> role=button && name="Extract"' }],
      ),
    ],
    check: (home) =>
      failing({
        'both files are there': home.read('restored/a.txt') === 'alpha' && home.read('restored/b.txt') === 'beta',
        'nothing else changed': names(home, 'restored') === 'a.txt,b.txt,keep.txt',
      }),
    wrong: {
      'only one': (home) => home.write('restored/a.txt', 'alpha'),
      'in a folder of its own': (home) => (home.write('restored/backup/a.txt', 'alpha'), home.write('restored/backup/b.txt', 'beta')),
    },
  },
]
