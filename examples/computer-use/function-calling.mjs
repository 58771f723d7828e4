// Any model with function calling works on the desktop that is up, by elements and not by pixels: node function-calling.mjs "Send the order"
// Chat completions, as most providers and local servers offer them.
import { connect, describeTools, listedTools } from 'deskhand'

const base = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'
const tools = describeTools(
  'openai',
  listedTools().filter(({ toolset }) => toolset === 'ui' || toolset === 'op'),
)

async function complete(messages) {
  const answer = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: process.env.MODEL ?? 'gpt-5.6-sol', messages, tools }),
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await answer.json()).choices[0].message
}

const desk = await connect()
try {
  const messages = [{ role: 'user', content: process.argv[2] ?? 'Say what the desktop shows.' }]
  for (let turn = 0; turn < 50; turn++) {
    const message = await complete(messages)
    messages.push(message)
    if (!message.tool_calls?.length) {
      console.log(message.content)
      break
    }
    for (const call of message.tool_calls) {
      const { op, text, data, error } = await desk.call(call.function.name, JSON.parse(call.function.arguments))
      const failed = error && `${error.code}: ${error.message} (operation ${op}). ${error.next}`
      messages.push({ role: 'tool', tool_call_id: call.id, content: [failed, text ?? JSON.stringify(data)].filter(Boolean).join('\n') })
    }
  }
} finally {
  await desk.close()
}
