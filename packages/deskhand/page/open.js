// Exchanges the one-time code behind # for a cookie and a word, and leaves no trace of it in the history. The word stays with this
// origin; the cookie is sent to every port of this host, so that it alone only looks.
const code = location.hash.slice(1)
history.replaceState(null, '', '/open.html')
const answer = await fetch('/api/v1/session', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code }),
})
if (answer.ok) {
  const { csrf } = await answer.json()
  localStorage.setItem('deskhand.word', csrf)
  location.replace('/')
} else {
  const { detail, next } = await answer.json()
  document.querySelector('#told').textContent = `${detail}. ${next}`
}
