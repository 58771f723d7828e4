// Gemini works on the desktop that is up (deskhand up): node gemini.mjs "Send the order"
// Plain requests to generateContent, so that nothing but Deskhand has to be installed.
import { connect } from 'deskhand'
import { answerGemini, Computer, NOT_ON_A_DESKTOP } from 'deskhand/computer-use'

const base = process.env.GEMINI_BASE_URL ?? 'https://generativelanguage.googleapis.com/v1beta'
const model = process.env.MODEL ?? 'gemini-3-flash-preview'

async function generate(contents) {
  const answer = await fetch(`${base}/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': process.env.GEMINI_API_KEY ?? '' },
    body: JSON.stringify({
      contents,
      tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER', excludedPredefinedFunctions: NOT_ON_A_DESKTOP } }],
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await answer.json()).candidates[0].content
}

const desk = await connect()
const computer = new Computer(desk)
try {
  const { data, mediaType: mimeType } = await computer.screenshot()
  const task = process.argv[2] ?? 'Say what the desktop shows.'
  const contents = [{ role: 'user', parts: [{ text: task }, { inlineData: { mimeType, data } }] }]
  for (let turn = 0; turn < 50; turn++) {
    const content = await generate(contents)
    contents.push(content)
    const calls = content.parts.filter((part) => part.functionCall)
    if (calls.length === 0) {
      console.log(content.parts.map((part) => part.text ?? '').join(''))
      break
    }
    const parts = []
    for (const { functionCall } of calls) {
      const answer = await answerGemini(computer, functionCall)
      if (answer.refused !== undefined) throw new Error(answer.refused)
      parts.push(...answer.parts)
    }
    contents.push({ role: 'user', parts })
  }
} finally {
  await computer.release()
  await desk.close()
}
