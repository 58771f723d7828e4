// Exchanges the one-time code behind # for a cookie, and leaves no trace of it in the history.
const code = location.hash.slice(1)
history.replaceState(null, '', '/open.html')
const answer = await fetch('/api/v1/session', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code }),
})
if (answer.ok) location.replace('/')
else {
  const { detail, next } = await answer.json()
  document.querySelector('#told').textContent = `${detail}. ${next}`
}
