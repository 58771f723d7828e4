import { isDeepStrictEqual } from 'node:util'
import { batch, failing, type Home, type Task } from './task.ts'

const BROWSER = [
  'chromium',
  '--no-sandbox',
  '--force-renderer-accessibility',
  '--no-first-run',
  '--disable-gpu',
  '--password-store=basic',
  '--user-data-dir=~/browser',
]
const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`
const posts = (home: Home): string[] => home.read('server/posts.log').split('\n').filter(Boolean)
const fields = (post: string | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(post?.split(' ').slice(1).join(' ') ?? ''))

const COUNTRIES = [
  'Austria',
  'Belgium',
  'Chile',
  'Denmark',
  'Estonia',
  'Finland',
  'Ghana',
  'Hungary',
  'India',
  'Japan',
  'Kenya',
  'Latvia',
  'Mexico',
  'Nepal',
  'Oman',
  'Peru',
]
const FORM = page(
  'Registration',
  `<h1>Registration</h1><form method="post" action="/register">
<p><label>First name <input name="first"></label> <label>Last name <input name="last"></label></p>
<p><label>Mail <input name="mail" type="email"></label> <label>Arrival <input name="arrival" type="date"></label></p>
<p><label>Country <select name="country">${COUNTRIES.map((c) => `<option>${c}</option>`).join('')}</select></label></p>
<p><label><input type="radio" name="room" value="single"> Single room</label> <label><input type="radio" name="room" value="double"> Double room</label></p>
<p><label><input type="checkbox" name="vegetarian"> Vegetarian</label></p>
<p><label>Remarks <textarea name="remarks"></textarea></label></p>
<p><button>Register</button></p></form>`,
)
const WANTED = {
  first: 'Ada',
  last: 'Lindqvist',
  mail: 'ada@example.org',
  arrival: '2026-12-03',
  country: 'Nepal',
  room: 'double',
  vegetarian: 'on',
  remarks: 'late train',
}

const PEOPLE = Array.from({ length: 120 }, (_, i) => ({
  id: 1000 + i,
  name: `${['Anna', 'Boris', 'Chen', 'Dalia', 'Emil', 'Fatou'][i % 6]} ${['Weber', 'Okafor', 'Santos', 'Kaya', 'Ito'][Math.floor(i / 6) % 5]}`,
  town: ['Bern', 'Graz', 'Lyon', 'Oslo'][Math.floor(i / 30)]!,
}))
const TABLE = page(
  'Members',
  `<h1>Members</h1><table><tr><th>Number<th>Name<th>Town<th></tr>${PEOPLE.map((p) => `<tr><td>${p.id}<td>${p.name}<td>${p.town}<td><form method="post" action="/remind/${p.id}"><button>Remind</button></form></tr>`).join('')}</table>`,
)
/** Of five people of that name only one lives there. */
const ONE = PEOPLE.find((p) => p.name === 'Dalia Kaya' && p.town === 'Lyon')!
const OTHER = PEOPLE.find((p) => p.name === 'Dalia Kaya' && p.town === 'Bern')!

const DRAFTS = page(
  'Drafts',
  `<h1>Drafts</h1><ul>${['Offer for Kaya', 'Old offer', 'Older offer', 'Invoice 12'].map((name, i) => `<li>${name} <button aria-label="Delete ${name}" onclick="if (confirm('Delete the draft ${name} for good?')) fetch('/delete/${i}', { method: 'POST' }).then(() => this.parentNode.remove())">Delete</button></li>`).join('')}</ul>`,
)

export const web: Task[] = [
  {
    id: 'chromium-form',
    packages: ['chromium'],
    instruction:
      'Fill in the open registration form and send it: Ada Lindqvist, ada@example.org, arrives on 3 December 2026, from Nepal, double room, vegetarian, remarks "late train".',
    prepare: (home) => home.write('www/index.html', FORM),
    server: 'web',
    open: [[...BROWSER, '{server}/']],
    solution: [
      ['ui.snapshot', {}],
      [
        'ui.set',
        {
          fields: [
            { target: 'name="First name"', value: 'Ada' },
            { target: 'name="Last name"', value: 'Lindqvist' },
            { target: 'role=textbox && name="Mail"', value: 'ada@example.org' },
            { target: 'role=textbox && name="Arrival"', value: '2026-12-03' },
            { target: 'name="Country"', value: 'Nepal' },
            { target: 'name="Double room"', value: true },
            { target: 'name="Vegetarian"', value: true },
            { target: 'name="Remarks"', value: 'late train' },
          ],
        },
      ],
      ['ui.click', { target: 'role=button && name="Register"' }],
    ],
    check: (home) =>
      failing({
        'the form was sent once': posts(home).length === 1,
        'it says what it should': isDeepStrictEqual(fields(posts(home)[0]), WANTED),
      }),
    wrong: {
      'another country': (home) =>
        home.write('server/posts.log', `/register ${new URLSearchParams({ ...WANTED, country: 'Mexico' }).toString()}\n`),
      'sent twice': (home) => home.write('server/posts.log', `/register ${new URLSearchParams(WANTED).toString()}\n`.repeat(2)),
    },
  },
  {
    id: 'chromium-row',
    packages: ['chromium'],
    instruction: `In the open list of members remind ${ONE.name} of ${ONE.town}, and nobody else.`,
    prepare: (home) => home.write('www/index.html', TABLE),
    server: 'web',
    open: [[...BROWSER, '{server}/']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: `role=row && has(name="${ONE.name}") && has(name="${ONE.town}") >> role=button` }],
    ],
    check: (home) => failing({ 'that member was reminded once, and nobody else': posts(home).join('\n').trim() === `/remind/${ONE.id}` }),
    wrong: {
      'the one in Bern': (home) => home.write('server/posts.log', `/remind/${OTHER.id} \n`),
      both: (home) => home.write('server/posts.log', `/remind/${OTHER.id} \n/remind/${ONE.id} \n`),
    },
  },
  {
    id: 'chromium-confirm',
    packages: ['chromium'],
    instruction: 'Delete the draft "Old offer" on the open page, and only that.',
    prepare: (home) => home.write('www/index.html', DRAFTS),
    server: 'web',
    open: [[...BROWSER, '{server}/']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Delete Old offer"' }],
      ['ui.click', { target: 'role=dialog >> role=button && name="OK"' }],
    ],
    check: (home) => failing({ 'that draft was deleted, and nothing else': posts(home).join('\n').trim() === '/delete/1' }),
    wrong: {
      'the older one': (home) => home.write('server/posts.log', '/delete/2 \n'),
      both: (home) => home.write('server/posts.log', '/delete/1 \n/delete/2 \n'),
    },
  },
  {
    id: 'chromium-bookmark',
    packages: ['chromium'],
    instruction: 'Make a bookmark of the open page with the name "Timetable".',
    prepare: (home) =>
      home.write('www/index.html', page('Trains from Bern to Graz, winter 2026', '<h1>Trains</h1><p>08:12, 10:12, 14:12</p>')),
    server: 'web',
    open: [[...BROWSER, '{server}/']],
    solution: [
      ['ui.snapshot', {}],
      ['ui.click', { target: 'role=button && name="Bookmark this tab"' }],
      batch(
        ['ui.set', { target: 'role=textbox && name="Bookmark name"', value: 'Timetable' }],
        ['ui.click', { target: 'role=button && name="Done"' }],
      ),
    ],
    check: (home) => {
      const all = [...home.read('browser/Default/Bookmarks').matchAll(/"name": "([^"]*)",[^{}]*?"url": "([^"]*)"/gs)].map(
        ([, name, url]) => `${name} ${url?.replace(/:\d+/, '')}`,
      )
      return failing({ 'there is one bookmark, of that page and name': all.join() === 'Timetable http://127.0.0.1/' })
    },
    wrong: {
      'under the title of the page': (home) =>
        home.write(
          'browser/Default/Bookmarks',
          '{ "name": "Trains from Bern to Graz, winter 2026", "type": "url", "url": "http://127.0.0.1:1/" }',
        ),
    },
  },
]
