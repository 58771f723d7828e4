// An OpenAI model works on the desktop that is up (deskhand up): node openai.mjs "Send the order"
// Plain requests to the Responses API, so that nothing but Deskhand has to be installed.
import { connect } from 'deskhand'
import { answerOpenAI, Computer } from 'deskhand/computer-use'

const base = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'

async function respond(input, previous) {
  const answer = await fetch(`${base}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({
      model: process.env.MODEL ?? 'gpt-5.6-sol',
      tools: [{ type: 'computer' }],
      previous_response_id: previous,
      input,
      truncation: 'auto',
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const desk = await connect()
const computer = new Computer(desk)
try {
  let response = await respond([{ role: 'user', content: process.argv[2] ?? 'Say what the desktop shows.' }])
  for (let turn = 0; turn < 50; turn++) {
    const calls = response.output.filter((item) => item.type === 'computer_call')
    if (calls.length === 0) break
    const input = []
    for (const call of calls) {
      const answer = await answerOpenAI(computer, call)
      if (answer.refused !== undefined) throw new Error(answer.refused)
      input.push(...answer.input)
    }
    response = await respond(input, response.id)
  }
  for (const { content = [] } of response.output) for (const { text } of content) console.log(text)
} finally {
  await computer.release()
  await desk.close()
}
