import { batch, failing, type Task } from './task.ts'

const LETTER = `Dear Mr Smith,

thank you for the order. Mr Smith, your parcel leaves on Monday.
A colleague of Mr Smithers will call you.

Yours, Mr Smith's bookshop
`
const SHOPPING = ['milk', 'Apples  ', 'bread', 'candles\t', 'eggs', 'dates ']
const RIGHT_LETTER = LETTER.replaceAll(/Mr Smith\b/g, 'Ms Jones')

export const text: Task[] = [
  {
    id: 'mousepad-replace',
    packages: ['mousepad'],
    instruction:
      'The open letter ~/letter.txt is for the wrong person: replace every "Mr Smith" by "Ms Jones", but leave "Mr Smithers" alone, and save it.',
    prepare: (home) => home.write('letter.txt', LETTER),
    open: [['mousepad', '~/letter.txt']],
    solution: [
      ['ui.menu', { path: ['Search', 'Find and Replace...'] }],
      [
        'ui.set',
        {
          fields: [
            { target: 'label="Search for:"', value: 'Mr Smith' },
            { target: 'label="Replace with:"', value: 'Ms Jones' },
            { target: 'name="Match whole word"', value: true },
            { target: 'name="Replace all in:"', value: true },
          ],
        },
      ],
      batch(
        ['ui.click', { target: 'role=button && name="Replace All"' }],
        ['ui.click', { target: 'role=button && name="Close"' }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) => failing({ 'every "Mr Smith" and nothing else is replaced': home.read('letter.txt') === RIGHT_LETTER }),
    wrong: {
      'Mr Smithers became Ms Jonesers': (home) => home.edit('letter.txt', 'Mr Smith', 'Ms Jones'),
      'only the first': (home) => home.write('letter.txt', LETTER.replace('Mr Smith', 'Ms Jones')),
    },
  },
  {
    id: 'geany-tidy',
    packages: ['geany'],
    instruction: 'In the open file ~/shopping.txt strip the trailing spaces of every line, add the line "flour" at the end, and save it.',
    prepare: (home) => home.write('shopping.txt', `${SHOPPING.join('\n')}\n`),
    open: [['geany', '~/shopping.txt']],
    solution: [
      ['ui.snapshot', {}],
      batch(
        ['ui.menu', { path: ['Document', 'Strip Trailing Spaces'] }],
        ['ui.key', { keys: 'ctrl+End' }],
        ['ui.type', { text: 'flour\n' }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) =>
      failing({
        'every line is stripped, and flour is the last':
          home.read('shopping.txt').trimEnd() === [...SHOPPING.map((line) => line.trimEnd()), 'flour'].join('\n'),
      }),
    wrong: {
      'not stripped': (home) => home.write('shopping.txt', `${SHOPPING.join('\n')}\nflour\n`),
      'flour is missing': (home) => home.write('shopping.txt', `${SHOPPING.map((line) => line.trimEnd()).join('\n')}\n`),
    },
  },
  {
    id: 'writer-heading',
    packages: ['libreoffice-writer', 'libreoffice-gtk3'],
    instruction:
      'In the open document ~/report.fodt give the line "Findings" the paragraph style Heading 2, and save the document in its own format.',
    prepare: (home) => home.write('report.fodt', document(['Report', 'We looked at the bridge.', 'Findings', 'The bridge is sound.'])),
    open: [['soffice', '--norestore', '--nologo', '--nofirststartwizard', '~/report.fodt']],
    solution: [
      ['ui.snapshot', {}],
      batch(
        ['ui.click', { target: 'role=paragraph && value="Findings"' }],
        ['ui.set', { target: 'role=panel && name="Paragraph Style" >> role=textbox', value: 'Heading 2\n' }],
        ['ui.key', { keys: 'ctrl+s' }],
      ),
    ],
    check: (home) => {
      const all = home.read('report.fodt')
      const headings = [...all.matchAll(/<text:h [^>]*text:outline-level="(\d)"[^>]*>(.*?)<\/text:h>/g)].map(
        ([, level, words]) => `${level} ${words?.replaceAll(/<[^>]*>/g, '')}`,
      )
      return failing({
        'Findings is the only heading, of level 2': headings.join() === '2 Findings',
        'the other lines are there': all.includes('The bridge is sound.') && all.includes('We looked at the bridge.'),
      })
    },
    wrong: {
      'another line is the heading': (home) =>
        home.edit('report.fodt', '<text:p>Report</text:p>', '<text:h text:outline-level="2">Report</text:h>'),
      'of level 1': (home) => home.edit('report.fodt', '<text:p>Findings</text:p>', '<text:h text:outline-level="1">Findings</text:h>'),
    },
  },
  {
    id: 'writer-pdf',
    packages: ['libreoffice-writer', 'libreoffice-gtk3', 'poppler-utils'],
    instruction: 'Export the open document ~/offer.fodt as a PDF to ~/offer.pdf.',
    prepare: (home) => home.write('offer.fodt', document(['Offer 4711', 'Two chairs for 90 euros.'])),
    open: [['soffice', '--norestore', '--nologo', '--nofirststartwizard', '~/offer.fodt']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Export Directly as PDF"' }],
      ['ui.type', { target: 'role=textbox && name="Name:"', text: '~/offer.pdf', mode: 'replace', submit: 'Enter' }],
    ],
    check: (home) =>
      failing({
        'the PDF has the text of the document': home.ask('pdftotext', home.path('offer.pdf'), '-').includes('Two chairs for 90 euros.'),
      }),
    wrong: {
      'not a PDF': (home) => home.write('offer.pdf', home.read('offer.fodt')),
      'another name': (home) => home.write('offer (1).pdf', '%PDF-1.7'),
    },
  },
  {
    id: 'zim-page',
    packages: ['zim'],
    instruction: 'In the open notebook make a page named "Trips" with the text "Lisbon in May" and leave the page Home as it is.',
    prepare: (home) => {
      home.write(
        'Notes/notebook.zim',
        '[Notebook]\nversion=0.4\nname=Notes\ninterwiki=\nhome=Home\nicon=\nshort_links=False\ndisable_trash=False\nprofile=None\n',
      )
      home.write('Notes/Home.txt', 'Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\n\n====== Home ======\n\nWelcome\n')
    },
    open: [['zim', '--standalone', '~/Notes', 'Home']],
    solution: [
      ['ui.menu', { path: ['File', 'New Page...'] }],
      batch(['ui.set', { target: 'label="Page Name:"', value: 'Trips' }], ['ui.click', { target: 'role=button && name="OK"' }]),
      batch(['ui.type', { text: 'Lisbon in May\n' }], ['ui.key', { keys: 'ctrl+s' }]),
    ],
    check: (home) =>
      failing({
        'the page Trips has the text': /^Lisbon in May$/m.test(home.read('Notes/Trips.txt')),
        'Home is as it was': home.read('Notes/Home.txt').includes('Welcome') && !home.read('Notes/Home.txt').includes('Lisbon'),
      }),
    wrong: {
      'an empty page': (home) => home.write('Notes/Trips.txt', 'Content-Type: text/x-zim-wiki\n\n====== Trips ======\n'),
      'the text is in Home': (home) => home.write('Notes/Home.txt', `${home.read('Notes/Home.txt')}\nLisbon in May\n`),
    },
  },
]

const document = (lines: readonly string[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:body><office:text>${lines.map((line) => `<text:p>${line}</text:p>`).join('')}</office:text></office:body></office:document>
`
