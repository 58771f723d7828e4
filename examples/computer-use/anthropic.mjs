// Claude works on the desktop that is up (deskhand up): node anthropic.mjs "Send the order"
// The SDK's own loop runs; every action goes through Deskhand's policy, approvals and record.
import Anthropic from '@anthropic-ai/sdk'
import { connect } from 'deskhand'
import { DeskhandComputerToolset } from 'deskhand/computer-use/anthropic'

const desk = await connect()
const toolset = new DeskhandComputerToolset(desk)
try {
  const message = await new Anthropic().beta.messages.toolRunner({
    model: process.env.MODEL ?? 'claude-opus-4-8',
    max_tokens: 4096,
    max_iterations: 50,
    tools: [toolset],
    messages: [{ role: 'user', content: process.argv[2] ?? 'Say what the desktop shows.' }],
  })
  console.log(message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'))
} finally {
  await toolset.close()
  await desk.close()
}
