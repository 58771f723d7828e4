// The picture, the waiting questions, and stop: what an operator needs until the console is built.
const one = (id) => document.getElementById(id)
const BETWEEN_PICTURES_MS = 500

const word = localStorage.getItem('deskhand.word') ?? ''
const session = await fetch('/api/v1/session')
if (!session.ok) {
  one('told').textContent = 'Open the link that deskhand up printed; deskhand up prints a new one.'
  throw new Error('signed out')
}

async function ask(verb, path, body) {
  const answer = await fetch(`/api/v1${path}`, {
    method: verb,
    headers: { 'x-deskhand-csrf': word, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const value = await answer.json()
  if (!answer.ok) one('told').textContent = `${value.code}: ${value.detail}. ${value.next}`
  return value
}

const desktops = await ask('GET', '/desktops')
for (const { name } of desktops) one('desktops').append(new Option(name, name))
let base = ''
let feed
one('desktops').onchange = () => show(one('desktops').value)
if (desktops.length > 0) show(desktops[0].name)

function show(name) {
  base = `/desktops/${encodeURIComponent(name)}`
  feed?.close()
  feed = new EventSource(`/api/v1${base}/events`)
  for (const type of ['approval', 'control', 'human', 'mode', 'operation', 'missed']) feed.addEventListener(type, () => void refresh())
  for (const type of ['tree', 'journal']) feed.addEventListener(type, draw)
  void refresh()
  draw()
}

async function refresh() {
  const [info, questions] = await Promise.all([ask('GET', base), ask('GET', `${base}/approvals`)])
  const words = [info.stopped ? 'stopped' : info.paused ? 'paused' : 'running', info.mode]
  if (info.human.since !== undefined) words.push('a person is at the controls')
  one('state').textContent = words.join(', ')
  one('questions').replaceChildren(...questions.map(question))
  for (const { id, shownAt } of questions) if (shownAt === undefined) void ask('POST', `${base}/approvals/${id}/shown`)
}

function question({ id, summary, decision, risk, around = [] }) {
  const item = document.createElement('li')
  const add = (tag, text) => item.appendChild(Object.assign(document.createElement(tag), { textContent: text }))
  add('p', summary)
  add('p', `risk ${risk.level}: ${decision.reason}`)
  for (const { label, value } of around.slice(0, 8)) add('p', `${label}: ${value}`)
  const answer = (allow) => () => void ask('POST', `${base}/approvals/${id}/answer`, { allow, surface: 'console' })
  add('button', 'Allow').onclick = answer(true)
  add('button', 'Deny').onclick = answer(false)
  return item
}

let drawing = false
function draw() {
  if (drawing) return
  drawing = true
  one('picture').src = `/api/v1${base}/picture?at=${Date.now()}`
  setTimeout(() => (drawing = false), BETWEEN_PICTURES_MS)
}

for (const id of ['stop', 'pause', 'resume']) one(id).onclick = () => void ask('POST', `${base}/${id}`)
